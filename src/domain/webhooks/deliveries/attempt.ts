// One attempt: signs the bytes of an event for this second, posts them through the guarded client, and says what came of
// it. Any 2xx is a yes; a redirect is a no. It writes nothing.

import type { Clock } from '../../../base/clock.ts';
import type { Outbound } from '../../../base/outbound/outbound.ts';
import { OutboundError, type OutboundErrorKind } from '../../../base/outbound/outbound-error.ts';
import { readRetryAfter } from './schedule.ts';
import { SIGNATURE_HEADER, signatureOf } from './signature.ts';

const TIMEOUT_MS = 10_000;
const KEPT_BYTES = 4_096;

export interface Attempt {
  readonly delivered: boolean;
  /** The HTTP status; null: no answer came. */
  readonly status: number | null;
  /** Why it failed; null: it did not. */
  readonly error: string | null;
  readonly response: string | null;
  readonly durationMs: number;
  readonly retryAfter: number | null;
  readonly at: number;
}

/** A name that leads nowhere and one that leads to us read alike: nobody learns of our network. */
const WORDS: Readonly<Partial<Record<OutboundErrorKind, string>>> = {
  refused: 'no_public_address',
  dns: 'no_public_address',
};

export interface AttemptParts {
  readonly outbound: Outbound;
  readonly clock: Clock;
  /** Of its own connections, where lanes do not bound how many there are. */
  readonly apart?: string;
}

/** Rejects only when the client was closed under it: then nothing is known, and nothing is to be written. */
export async function attempt(
  { outbound, clock, apart }: AttemptParts,
  url: string,
  secrets: readonly string[],
  body: string,
): Promise<Attempt> {
  const at = clock.now();
  const began = performance.now();
  // Bytes once, for the signature and for the wire.
  const bytes = Buffer.from(body);
  try {
    const answer = await outbound.request({
      url,
      method: 'POST',
      headers: {
        'content-type': 'application/json; charset=utf-8',
        'user-agent': 'Everyshare-Webhooks/1',
        [SIGNATURE_HEADER]: signatureOf(secrets, bytes, at),
      },
      body: bytes,
      timeoutMs: TIMEOUT_MS,
      maxBytes: KEPT_BYTES,
      truncate: true,
      ...(apart === undefined ? {} : { apart }),
    });
    const { status } = answer;
    const delivered = status >= 200 && status < 300;
    return {
      delivered,
      status,
      error: delivered ? null : status >= 300 && status < 400 ? 'redirect' : 'http_status',
      response: textOf(answer.body),
      durationMs: Math.round(answer.durationMs),
      retryAfter: delivered ? null : readRetryAfter(answer.headers['retry-after'], clock.now()),
      at,
    };
  } catch (error) {
    if (!(error instanceof OutboundError) || error.kind === 'closed') throw error;
    return {
      delivered: false,
      status: null,
      error: WORDS[error.kind] ?? error.kind,
      response: null,
      durationMs: Math.round(performance.now() - began),
      retryAfter: null,
      at,
    };
  }
}

/** As text that can be stored: what is not UTF-8, and U+0000, become U+FFFD. */
function textOf(body: Buffer): string {
  return body.toString('utf8').replaceAll('\0', '\ufffd');
}
