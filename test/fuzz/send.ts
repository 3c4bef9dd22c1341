// Sends a request of the fuzzer and brings back what came: the answer, or that there was none in time. What no HTTP client would
// send goes over a bare socket, byte for byte.

import { Agent, request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { connect } from 'node:net';
import { recordSecretsOf } from './secrets.ts';

export interface Request {
  readonly number: number;
  /** What the summary counts it as: the operation's id, or the name of the address. */
  readonly label: string;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | null;
  /** Sent without a length, in chunks. */
  readonly chunked?: true;
  /** These bytes instead of everything above, over a bare socket. */
  readonly wire?: Buffer;
  /** Nothing may come of it: whoever takes it is wrong. */
  readonly isHopeless?: true;
  /** Of the tool server: by the ids that an answer may carry, what was asked; null: more than one thing. */
  readonly rpc?: ReadonlyMap<unknown, Asked | null>;
}

/** One message to the tool server. */
export interface Asked {
  readonly method: string;
  /** Of those that are listed. */
  readonly tool: string | null;
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly ms: number;
  /** There was no answer, or not a whole one: why. */
  readonly trouble: string | null;
}

/** Longer than anything may take on a machine that has nothing else to do. */
export const BOUND_MS = 20_000;
/** Half a request is waited for by the server for as long as it may be on its way. */
const QUIET_MS = 150;

export class Sender {
  readonly #host: string;
  readonly #port: number;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 64 });

  readonly #boundMs: number;

  constructor(base: string, boundMs = BOUND_MS) {
    this.#boundMs = boundMs;
    const { hostname, port } = new URL(base);
    this.#host = hostname;
    this.#port = Number(port);
  }

  send(request: Request): Promise<Answer> {
    return request.wire === undefined ? this.#ask(request) : this.#write(request.wire);
  }

  close(): void {
    this.#agent.destroy();
  }

  #ask({ method, path, headers, body, chunked }: Request): Promise<Answer> {
    const began = performance.now();
    return new Promise((resolve) => {
      const done = (answer: Partial<Answer>): void => {
        clearTimeout(late);
        resolve({ status: 0, headers: {}, text: '', trouble: null, ...answer, ms: performance.now() - began });
      };
      const length = body === null || chunked === true ? {} : { 'content-length': String(body.length) };
      const asked = httpRequest(
        { host: this.#host, port: this.#port, agent: this.#agent, method, path, headers: { ...length, ...headers } },
        (response) => {
          const parts: Buffer[] = [];
          response.on('data', (part: Buffer) => parts.push(part));
          response.on('error', (error) => done({ trouble: `the answer broke off: ${error.message}` }));
          response.on('end', () => {
            const text = Buffer.concat(parts).toString('utf8');
            recordSecretsOf(path, response.headers, text);
            done({ status: response.statusCode ?? 0, headers: response.headers, text });
          });
        },
      );
      const late = setTimeout(() => {
        done({ trouble: `no answer within ${this.#boundMs / 1000} s` });
        asked.destroy();
      }, this.#boundMs);
      asked.on('error', (error) => done({ trouble: `no answer: ${error.message}` }));
      asked.end(body ?? undefined);
    });
  }

  /**
   * Writes, ends its half once nothing came for a moment (earlier, and the server would give no answer to what it still works at), and
   * reads until the other side has said all.
   */
  #write(bytes: Buffer): Promise<Answer> {
    const began = performance.now();
    return new Promise((resolve) => {
      const parts: Buffer[] = [];
      const socket = connect({ host: this.#host, port: this.#port });
      const done = (trouble: string | null): void => {
        clearTimeout(late);
        clearTimeout(quiet);
        socket.destroy();
        resolve({ ...readAnswer(Buffer.concat(parts).toString('utf8')), ms: performance.now() - began, trouble });
      };
      const late = setTimeout(() => done(`the connection stood open for ${this.#boundMs / 1000} s`), this.#boundMs);
      const quiet = setTimeout(() => socket.end(), QUIET_MS);
      socket.on('data', (part: Buffer) => {
        parts.push(part);
        quiet.refresh();
      });
      socket.on('error', () => done(null));
      socket.on('close', () => done(null));
      socket.write(bytes);
    });
  }
}

/** The worst of what came over one connection: a status of 0 when it was closed without a word. */
function readAnswer(text: string): Pick<Answer, 'status' | 'headers' | 'text'> {
  const statuses = [...text.matchAll(/^HTTP\/1\.1 (\d{3}) /gm)].map(([, status]) => Number(status));
  const [head = '', ...rest] = text.split('\r\n\r\n');
  const headers: IncomingHttpHeaders = {};
  for (const line of head.split('\r\n').slice(1)) {
    const colon = line.indexOf(':');
    if (colon > 0) headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim();
  }
  return { status: Math.max(0, ...statuses), headers, text: rest.join('\r\n\r\n') };
}
