// Requests to addresses that the operator configured (the sandbox processor, the text message provider): bounded in time and
// size, without redirects. Addresses from partners go through the guarded client (outbound.ts).

import { loadUndici } from './undici.ts';

export interface TrustedRequest {
  readonly url: string;
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | string | null;
  readonly timeoutMs: number;
}

export interface TrustedResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

const MAX_RESPONSE_BYTES = 1024 * 1024;

export async function sendTrusted(trusted: TrustedRequest): Promise<TrustedResponse> {
  const { request } = await loadUndici();
  const response = await request(trusted.url, {
    method: trusted.method,
    headers: { ...trusted.headers },
    body: trusted.body,
    headersTimeout: trusted.timeoutMs,
    bodyTimeout: trusted.timeoutMs,
    signal: AbortSignal.timeout(trusted.timeoutMs),
  });
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of response.body as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > MAX_RESPONSE_BYTES) throw new Error('the response is too large');
    parts.push(part);
  }
  return { status: response.statusCode, headers: response.headers, body: Buffer.concat(parts) };
}
