// Twilio's Messages API as an SmsSender, and the verification of its signed notices of replies. Twilio has no
// idempotency key: after a time-out the message may have been sent, and the worker tries it at most once more (twice is
// better than never). No error contains a phone or the text of a message.

import { createHmac, timingSafeEqual } from 'node:crypto';
import type { TwilioAccount } from '../../../base/config.ts';
import { sendTrusted, type TrustedResponse } from '../../../base/outbound/trusted-request.ts';
import { SmsOptedOut, SmsOutcomeUnknown, SmsRefused, type SmsSender, SmsUnreachable } from './send.ts';

const TIMEOUT_MS = 10_000;
/** Twilio's maximum ValidityPeriod. */
const MAX_VALIDITY_SECONDS = 36_000;
const OPTED_OUT_CODE = 21610;
/** Of the recipient's number: invalid, not reachable, not mobile. */
const UNREACHABLE_CODES = [21211, 21214, 21217, 21401, 21407, 21612, 21614];
/** Rate limits and wrong settings of ours: no refusal of this message. */
const TEMPORARY_STATUSES = [401, 403, 408, 429, 503];

export function makeTwilioSender(settings: TwilioAccount): SmsSender {
  const { accountSid, authToken, from, baseUrl } = settings;
  const authorization = `Basic ${Buffer.from(`${accountSid}:${authToken}`).toString('base64')}`;
  return {
    async send(phone, text, lifeSeconds) {
      const form = new URLSearchParams({
        To: phone,
        Body: text,
        ValidityPeriod: String(Math.min(lifeSeconds, MAX_VALIDITY_SECONDS)),
        ...('number' in from ? { From: from.number } : { MessagingServiceSid: from.service }),
      });
      const response = await postForm(
        `${baseUrl}/2010-04-01/Accounts/${accountSid}/Messages.json`,
        authorization,
        form,
      );
      return sidOf(response);
    },
  };
}

async function postForm(url: string, authorization: string, form: URLSearchParams): Promise<TrustedResponse> {
  try {
    return await sendTrusted({
      url,
      method: 'POST',
      headers: { authorization, 'content-type': 'application/x-www-form-urlencoded' },
      body: form.toString(),
      timeoutMs: TIMEOUT_MS,
    });
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? (error as Error).name;
    // No connection was made, so nothing was sent.
    if (/^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|UND_ERR_CONNECT_TIMEOUT)$/.test(String(code))) {
      throw new Error(`Twilio could not be reached (${code})`);
    }
    throw new SmsOutcomeUnknown(`Twilio did not answer (${code})`);
  }
}

function sidOf({ status, body }: TrustedResponse): string {
  const fields = parseJson(body);
  if (status >= 200 && status < 300) return typeof fields.sid === 'string' ? fields.sid : 'sent';
  const code = typeof fields.code === 'number' ? fields.code : 0;
  const message = `Twilio answered ${status}${code === 0 ? '' : ` (${code})`}`;
  if (code === OPTED_OUT_CODE) throw new SmsOptedOut(message);
  if (UNREACHABLE_CODES.includes(code)) throw new SmsUnreachable(message);
  if (TEMPORARY_STATUSES.includes(status)) throw new Error(message);
  if (status >= 500) throw new SmsOutcomeUnknown(message);
  throw new SmsRefused(message);
}

function parseJson(body: Buffer): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    // Without a JSON body only the status counts.
    return {};
  }
}

/**
 * Whether Twilio signed the notice: HMAC-SHA1 with our auth token over the configured URL and then every field with its
 * value, sorted by name. Twilio signs the URL sometimes with the port and sometimes without.
 */
export function isFromTwilio(
  authToken: string,
  url: string,
  fields: URLSearchParams,
  signature: string | undefined,
): boolean {
  if (signature === undefined || signature.length > 100 || authToken === '') return false;
  const names = [...new Set(fields.keys())].sort();
  const signedFields = names.flatMap((name) =>
    [...new Set(fields.getAll(name))].sort().map((value) => `${name}${value}`),
  );
  const given = Buffer.from(signature);
  return urlsWithAndWithoutPort(url).some((candidate) => {
    const ours = Buffer.from(
      createHmac('sha1', authToken)
        .update(`${candidate}${signedFields.join('')}`)
        .digest('base64'),
    );
    return ours.length === given.length && timingSafeEqual(ours, given);
  });
}

function urlsWithAndWithoutPort(text: string): readonly string[] {
  const url = new URL(text);
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  const tail = `${url.pathname}${url.search}`;
  return [`${url.protocol}//${url.hostname}${tail}`, `${url.protocol}//${url.hostname}:${port}${tail}`];
}
