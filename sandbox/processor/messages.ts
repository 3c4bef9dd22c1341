// What goes into the bank and what comes out of it, without any transport: a request, and an answer or a fault that the
// one who carries it has to act out.

export interface ApiRequest {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface ApiResponse {
  readonly fault?: undefined;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** No answer: the connection stays silent for `ms` and is then closed, or is closed at once. */
export type NoResponse =
  | { readonly fault: 'timeout'; readonly ms: number }
  | { readonly fault: 'drop_connection'; readonly ms: 0 };

export type ApiOutcome = ApiResponse | NoResponse;
