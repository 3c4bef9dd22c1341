// Sends a request of the fuzzer and returns its response, or the failure to get one in time. Bytes that no HTTP client
// would send go over a plain socket.

import { Agent, request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { connect } from 'node:net';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { recordSecretsIn } from './secrets.ts';

export interface Request {
  readonly number: number;
  /** For the summary: the operation's id, or the name of the address. */
  readonly label: string;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | null;
  /** Sent in chunks, without a length. */
  readonly isChunked?: true;
  /** Sent over a plain socket instead of everything above. */
  readonly rawBytes?: Buffer;
  /** A server that accepts it has a fault. */
  readonly mustBeRefused?: true;
  /** The calls to the tool server by their ids; null for an id that occurs twice. */
  readonly rpc?: ReadonlyMap<unknown, RpcCall | null>;
}

/** A message to the tool server. */
export interface RpcCall {
  readonly method: string;
  /** The name of a listed tool, or null. */
  readonly tool: string | null;
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly ms: number;
  /** Why there was no complete response; null if there was one. */
  readonly failure: string | null;
}

/** Longer than any response may take on an idle machine. */
export const TIMEOUT_MS = 20_000;
/** The server waits for the rest of an incomplete request, so the client half-closes after this pause. */
const HALF_CLOSE_AFTER_MS = 150;

export class Sender {
  readonly #host: string;
  readonly #port: number;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 64 });

  readonly #timeoutMs: number;

  constructor(base: string, timeoutMs = TIMEOUT_MS) {
    this.#timeoutMs = timeoutMs;
    const { hostname, port } = new URL(base);
    this.#host = hostname;
    this.#port = Number(port);
  }

  send(request: Request): Promise<HttpResponse> {
    return request.rawBytes === undefined ? this.#sendHttp(request) : this.#sendRaw(request.rawBytes);
  }

  close(): void {
    this.#agent.destroy();
  }

  #sendHttp({ method, path, headers, body, isChunked }: Request): Promise<HttpResponse> {
    const startedAt = performance.now();
    return new Promise((resolve) => {
      const done = (response: Partial<HttpResponse>): void => {
        clearTimeout(timer);
        resolve({ status: 0, headers: {}, text: '', failure: null, ...response, ms: performance.now() - startedAt });
      };
      const length = body === null || isChunked === true ? {} : { 'content-length': String(body.length) };
      const sent = httpRequest(
        { host: this.#host, port: this.#port, agent: this.#agent, method, path, headers: { ...length, ...headers } },
        (response) => {
          const parts: Buffer[] = [];
          const isStream = response.headers['content-type']?.startsWith('text/event-stream') === true;
          response.on('data', (part: Buffer) => {
            parts.push(part);
            // A stream has no end: its beginning is enough.
            if (!isStream) return;
            done({
              status: response.statusCode ?? 0,
              headers: response.headers,
              text: Buffer.concat(parts).toString(),
            });
            sent.destroy();
          });
          response.on('error', (error) => done({ failure: `the response was cut off: ${error.message}` }));
          response.on('end', () => {
            const text = decoded(Buffer.concat(parts), response.headers['content-encoding']).toString('utf8');
            recordSecretsIn(path, response.headers, text);
            done({ status: response.statusCode ?? 0, headers: response.headers, text });
          });
        },
      );
      const timer = setTimeout(() => {
        done({ failure: `no response within ${this.#timeoutMs / 1000} s` });
        sent.destroy();
      }, this.#timeoutMs);
      sent.on('error', (error) => done({ failure: `no response: ${error.message}` }));
      sent.end(body ?? undefined);
    });
  }

  /**
   * Writes the bytes, half-closes after a pause without data (earlier, the server would drop a response that it is
   * working on), and reads until the server closes.
   */
  #sendRaw(bytes: Buffer): Promise<HttpResponse> {
    const startedAt = performance.now();
    return new Promise((resolve) => {
      const parts: Buffer[] = [];
      const socket = connect({ host: this.#host, port: this.#port });
      const done = (failure: string | null): void => {
        clearTimeout(timer);
        clearTimeout(halfClose);
        socket.destroy();
        resolve({
          ...parseResponses(Buffer.concat(parts).toString('utf8')),
          ms: performance.now() - startedAt,
          failure,
        });
      };
      const timer = setTimeout(
        () => done(`the connection stayed open for ${this.#timeoutMs / 1000} s`),
        this.#timeoutMs,
      );
      const halfClose = setTimeout(() => socket.end(), HALF_CLOSE_AFTER_MS);
      socket.on('data', (part: Buffer) => {
        parts.push(part);
        halfClose.refresh();
      });
      socket.on('error', () => done(null));
      socket.on('close', () => done(null));
      socket.write(bytes);
    });
  }
}

/** The highest status of the responses on one connection; 0 if it was closed without one. */
/** The body as a browser reads it. */
function decoded(body: Buffer, encoding: string | undefined): Buffer {
  if (body.length === 0) return body;
  if (encoding === 'br') return brotliDecompressSync(body);
  return encoding === 'gzip' ? gunzipSync(body) : body;
}

function parseResponses(text: string): Pick<HttpResponse, 'status' | 'headers' | 'text'> {
  const statuses = [...text.matchAll(/^HTTP\/1\.1 (\d{3}) /gm)].map(([, status]) => Number(status));
  const [head = '', ...rest] = text.split('\r\n\r\n');
  const headers: IncomingHttpHeaders = {};
  for (const line of head.split('\r\n').slice(1)) {
    const colon = line.indexOf(':');
    if (colon > 0) headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim();
  }
  return { status: Math.max(0, ...statuses), headers, text: rest.join('\r\n\r\n') };
}
