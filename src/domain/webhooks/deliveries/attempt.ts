// One attempt of a delivery: signs the bytes of an event with the current time, posts them through the guarded client,
// and returns the result. Any 2xx is a success; a redirect is a failure. It writes nothing.

import type { Clock } from '../../../base/clock.ts';
import type { Outbound } from '../../../base/outbound/outbound.ts';
import { OutboundError, type OutboundErrorKind } from '../../../base/outbound/outbound-error.ts';
import { readRetryAfter } from './schedule.ts';
import { signatureHeaders } from './signature.ts';

const TIMEOUT_MS = 10_000;
const MAX_STORED_RESPONSE_BYTES = 4_096;

export interface Attempt {
  readonly delivered: boolean;
  /** The endpoint sent something back, even if it was an error or not valid HTTP. */
  readonly answered: boolean;
  /** The HTTP status; null: there was no response. */
  readonly status: number | null;
  /** Why the attempt failed; null: it succeeded. */
  readonly error: string | null;
  readonly response: string | null;
  readonly durationMs: number;
  readonly retryAfter: number | null;
  readonly at: number;
}

/**
 * An unknown host name and one that resolves to a private address get the same error, so that partners cannot probe our
 * network.
 */
const PUBLIC_ERROR_NAMES: Readonly<Partial<Record<OutboundErrorKind, string>>> = {
  refused: 'no_public_address',
  dns: 'no_public_address',
};

/** The connection worked and bytes came back; every other error means that the endpoint did not answer. */
const ANSWERED_ERRORS: ReadonlySet<OutboundErrorKind> = new Set(['protocol', 'too_large']);

export interface AttemptServices {
  readonly outbound: Outbound;
  readonly clock: Clock;
  /** The name of a separate connection pool, for callers that endpoint queues do not limit. */
  readonly poolName?: string;
}

/** Rejects only if the client was closed meanwhile: the result is unknown then, and the caller must write nothing. */
export async function attempt(
  { outbound, clock, poolName }: AttemptServices,
  url: string,
  secrets: readonly string[],
  body: string,
): Promise<Attempt> {
  const at = clock.now();
  const startedAt = performance.now();
  // The same bytes are signed and sent.
  const bytes = Buffer.from(body);
  try {
    const response = await outbound.request({
      url,
      method: 'POST',
      headers: {
        'content-type': 'application/json; charset=utf-8',
        'user-agent': 'Everyshare-Webhooks/1',
        ...signatureHeaders(secrets, bytes, at),
      },
      body: bytes,
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_STORED_RESPONSE_BYTES,
      truncate: true,
      ...(poolName === undefined ? {} : { poolName }),
    });
    const { status } = response;
    const delivered = status >= 200 && status < 300;
    return {
      delivered,
      answered: true,
      status,
      error: delivered ? null : status >= 300 && status < 400 ? 'redirect' : 'http_status',
      response: textOf(response.body),
      durationMs: Math.round(response.durationMs),
      retryAfter: delivered ? null : readRetryAfter(response.headers['retry-after'], clock.now()),
      at,
    };
  } catch (error) {
    if (!(error instanceof OutboundError) || error.kind === 'closed') throw error;
    return {
      delivered: false,
      answered: ANSWERED_ERRORS.has(error.kind),
      status: null,
      error: PUBLIC_ERROR_NAMES[error.kind] ?? error.kind,
      response: null,
      durationMs: Math.round(performance.now() - startedAt),
      retryAfter: null,
      at,
    };
  }
}

/** Text that PostgreSQL can store: bytes that are not UTF-8, and U+0000, become U+FFFD. */
function textOf(body: Buffer): string {
  return body.toString('utf8').replaceAll('\0', '\ufffd');
}
