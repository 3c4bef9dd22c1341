// An HTTP server that answers each request as the test says, and records what it got.

import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface RecordedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly at: number;
}

export type Responder = (request: RecordedRequest, response: ServerResponse) => void;

export class FakeServer {
  readonly requests: RecordedRequest[] = [];
  /** What the next requests get, in order; the last one stays. */
  #responders: Responder[] = [];
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { method = '', url: path = '', headers } = request;
        const recorded = { method, path, headers, body: Buffer.concat(chunks).toString(), at: Date.now() };
        this.requests.push(recorded);
        const [responder] = this.#responders.length > 1 ? this.#responders.splice(0, 1) : this.#responders;
        responder?.(recorded, response);
      });
    });
  }

  static async start(): Promise<FakeServer> {
    const fake = new FakeServer();
    await new Promise<void>((resolve) => fake.#server.listen(0, '127.0.0.1', resolve));
    return fake;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  answer(...responders: Responder[]): void {
    this.requests.length = 0;
    this.#responders = responders;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

/** Answers with JSON. */
export const json =
  (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Responder =>
  (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  };

/** Answers with an error of the API. */
export const failure = (status: number, code: string, more: object = {}, headers: Record<string, string> = {}) =>
  json(status, { error: { code, message: `It is ${code}.`, request_id: 'req_1', ...more } }, headers);

/** Cuts the connection without an answer. */
export const cut: Responder = (_request, response) => void response.destroy();

/** Sends the headers and a part of the body, then cuts. */
export const cutInBody: Responder = (_request, response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
  response.write('{"id":', () => response.destroy());
};

/** Never answers. */
export const hang: Responder = () => undefined;
