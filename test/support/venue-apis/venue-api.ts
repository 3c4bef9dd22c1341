// Servers that stand in for the APIs of venue systems: each behaves as its provider's published documentation says about
// authentication, pages, limits, errors and times. One https server serves them all, each below its name, as the setting
// READER_BASE_URL expects. Every request is recorded.

import { type Listening, startHttpsReceiver } from '../test-receivers.ts';

export interface ApiRequest {
  readonly method: string;
  /** Without the name of the provider. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  // biome-ignore lint/suspicious/noExplicitAny: bodies of every shape.
  readonly body: any;
}

export interface ApiAnswer {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface VenueApi {
  readonly provider: string;
  answer(request: ApiRequest): ApiAnswer;
}

export interface VenueApis {
  readonly url: string;
  readonly requests: { readonly provider: string; readonly method: string; readonly path: string }[];
  /** The next answers of every API, before it is asked: faults that a test plants. */
  readonly faults: ApiAnswer[];
  /** Called for each request before it is answered. */
  onRequest: () => Promise<void> | void;
  close(): Promise<void>;
}

export async function startVenueApis(apis: readonly VenueApi[]): Promise<VenueApis> {
  const requests: VenueApis['requests'] = [];
  const faults: ApiAnswer[] = [];
  const state = { onRequest: (): Promise<void> | void => undefined };
  const server: Listening = await startHttpsReceiver((request, response, text) => {
    const url = new URL(request.url ?? '/', 'https://api.example');
    const [, provider = '', ...rest] = url.pathname.split('/');
    const path = `/${rest.join('/')}`;
    const method = request.method ?? 'GET';
    requests.push({ provider, method, path });
    const isJson = String(request.headers['content-type'] ?? '').startsWith('application/json');
    const body = text === '' ? null : isJson ? JSON.parse(text) : Object.fromEntries(new URLSearchParams(text));
    const asked = { method, path, query: url.searchParams, headers: request.headers, body };
    const answerNow = (): void => {
      const api = apis.find((candidate) => candidate.provider === provider);
      const fault = faults.shift();
      const answer = fault ?? api?.answer(asked) ?? { status: 404, body: { error: 'no such API' } };
      response.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers });
      response.end(typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body));
    };
    void Promise.resolve(state.onRequest()).then(answerNow);
  });
  return {
    url: `https://127.0.0.1:${server.port}`,
    requests,
    faults,
    get onRequest() {
      return state.onRequest;
    },
    set onRequest(handler) {
      state.onRequest = handler;
    },
    close: () => server.close(),
  };
}
