// Requests to addresses that the operator has configured (the sandbox's processor, the sender of text messages): bounded in
// time and size, without redirects. Addresses that anybody else gave us go through the guarded client (outbound.ts).

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

const MOST_BYTES = 1024 * 1024;

export async function sendTrusted(wish: TrustedRequest): Promise<TrustedResponse> {
  const { request } = await loadUndici();
  const answer = await request(wish.url, {
    method: wish.method,
    headers: { ...wish.headers },
    body: wish.body,
    headersTimeout: wish.timeoutMs,
    bodyTimeout: wish.timeoutMs,
    signal: AbortSignal.timeout(wish.timeoutMs),
  });
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of answer.body as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > MOST_BYTES) throw new Error('the answer is too large');
    parts.push(part);
  }
  return { status: answer.statusCode, headers: answer.headers, body: Buffer.concat(parts) };
}
