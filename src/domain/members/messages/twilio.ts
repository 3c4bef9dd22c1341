// Twilio's Messages API as our sender of text messages, and its signed notices of what people answer. Twilio has no
// idempotency key: after a time-out nobody knows whether the message went out, and it is tried once more at the most (rather
// twice than never, and never a third time). No phone and no words of a message get into an error.

import { createHmac, timingSafeEqual } from 'node:crypto';
import type { TwilioAccount } from '../../../base/config.ts';
import { sendTrusted, type TrustedResponse } from '../../../base/outbound/trusted-request.ts';
import { TextRefused, type TextSender, TextOptedOut, TextOutcomeUnknown } from './send.ts';

const TIMEOUT_MS = 10_000;
/** Twilio takes no longer life than this, in seconds. */
const MAX_VALIDITY_SECONDS = 36_000;
const OPTED_OUT_CODE = 21610;
/** Too fast, or our own settings are wrong: neither says anything about this message. */
const TEMPORARY_STATUSES = [401, 403, 408, 429, 503];

export function makeTwilioSender(settings: TwilioAccount): TextSender {
  const { accountSid, authToken, from, baseUrl } = settings;
  const authorization = `Basic ${Buffer.from(`${accountSid}:${authToken}`).toString('base64')}`;
  return {
    async send(phone, words, lifeSeconds) {
      const form = new URLSearchParams({
        To: phone,
        Body: words,
        ValidityPeriod: String(Math.min(lifeSeconds, MAX_VALIDITY_SECONDS)),
        ...('number' in from ? { From: from.number } : { MessagingServiceSid: from.service }),
      });
      const answer = await postForm(`${baseUrl}/2010-04-01/Accounts/${accountSid}/Messages.json`, authorization, form);
      return sidOf(answer);
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
    // Nobody was reached: nothing was sent.
    if (/^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|UND_ERR_CONNECT_TIMEOUT)$/.test(String(code))) {
      throw new Error(`Twilio could not be reached (${code})`);
    }
    throw new TextOutcomeUnknown(`Twilio did not answer (${code})`);
  }
}

function sidOf({ status, body }: TrustedResponse): string {
  const said = parseJson(body);
  if (status >= 200 && status < 300) return typeof said.sid === 'string' ? said.sid : 'sent';
  const code = typeof said.code === 'number' ? said.code : 0;
  const words = `Twilio answered ${status}${code === 0 ? '' : ` (${code})`}`;
  if (code === OPTED_OUT_CODE) throw new TextOptedOut(words);
  if (TEMPORARY_STATUSES.includes(status)) throw new Error(words);
  if (status >= 500) throw new TextOutcomeUnknown(words);
  throw new TextRefused(words);
}

function parseJson(body: Buffer): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    // An answer that is no JSON says what its status says.
    return {};
  }
}

/**
 * Whether a notice is Twilio's: HMAC-SHA1 with our own token over the address that Twilio was given, then every field with
 * its value, sorted by name. Twilio signs the address sometimes with the port and sometimes without.
 */
export function isFromTwilio(
  authToken: string,
  url: string,
  fields: URLSearchParams,
  signature: string | undefined,
): boolean {
  if (signature === undefined || signature.length > 100 || authToken === '') return false;
  const names = [...new Set(fields.keys())].sort();
  const rest = names.flatMap((name) => [...new Set(fields.getAll(name))].sort().map((value) => `${name}${value}`));
  const given = Buffer.from(signature);
  return addressesOf(url).some((address) => {
    const ours = Buffer.from(
      createHmac('sha1', authToken)
        .update(`${address}${rest.join('')}`)
        .digest('base64'),
    );
    return ours.length === given.length && timingSafeEqual(ours, given);
  });
}

function addressesOf(text: string): readonly string[] {
  const url = new URL(text);
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  const tail = `${url.pathname}${url.search}`;
  return [`${url.protocol}//${url.hostname}${tail}`, `${url.protocol}//${url.hostname}:${port}${tail}`];
}
