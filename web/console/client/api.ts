// The console's way to the API: the SDK, with the cookie of the session instead of a key. Every answer to a read is kept as
// the last one of its address, for the line that shows the call behind a screen.

import { signal } from '@preact/signals';
import { Api } from '../../../sdk/src/api.ts';
import { ApiError } from '../../../sdk/src/errors.ts';
import { Resources } from '../../../sdk/src/resources.gen.ts';
import { ConsoleOperations } from './operations.gen.ts';

export type Mode = 'test' | 'live';

/** The operations of partners, and those of the console alone. */
export interface Client {
  readonly partner: Resources;
  readonly console: ConsoleOperations;
}

/** The last answer of an address, as text. */
export interface Answer {
  readonly status: number;
  readonly body: string;
}

const MAX_ANSWERS = 20;
export const answers = signal<ReadonlyMap<string, Answer>>(new Map());
/** Another person may sign in in this window. */
export function forgetAnswers(): void {
  answers.value = new Map();
}

/** Set when the server says that the session is over. */
export const isSignedOut = signal(false);

export const addressOf = (method: string, url: string): string => `${method} ${url.replace(location.origin, '')}`;

async function recordingFetch(url: string, init: RequestInit): Promise<Response> {
  const method = init.method ?? 'GET';
  // A decision that a reviewer made before leaving the page is sent while it closes.
  const isDecision = method === 'POST' && url.includes('/desk/api/reviews/');
  const response = await fetch(url, isDecision ? { ...init, keepalive: true } : init);
  if (method === 'GET' && response.headers.get('content-type')?.includes('json') === true) {
    const body = await response.clone().text();
    const kept = [...answers.value].filter(([address]) => address !== addressOf(method, url)).slice(1 - MAX_ANSWERS);
    answers.value = new Map([...kept, [addressOf(method, url), { status: response.status, body }]]);
  }
  if (response.status === 401 && !url.includes('/console/api/sign_in')) isSignedOut.value = true;
  return response;
}

const TIMEOUT_MS = 30_000;

function clientWith(headers: Readonly<Record<string, string>>): Client {
  const options = { apiKey: null, baseUrl: location.origin, timeout: TIMEOUT_MS, fetch: recordingFetch, headers };
  const api = new Api(options);
  return { partner: new Resources(api), console: new ConsoleOperations(api) };
}

/** For calls about the person, without a venue. */
export const accountClient: Client = clientWith({});

export function venueClient(venueId: string, mode: Mode): Client {
  return clientWith({ 'Everyshare-Venue': venueId, 'Everyshare-Mode': mode });
}

export const isApiError = (error: unknown): error is ApiError => error instanceof ApiError;
export const codeOf = (error: unknown): string | null => (isApiError(error) ? error.code : null);
