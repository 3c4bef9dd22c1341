// Requests to the processor's API and their outcomes, without any transport. An outcome is a response, or a fault that
// the transport has to act out.

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

/** The transport sends nothing: it closes the connection after `ms`, or at once. */
export type NoResponse =
  | { readonly fault: 'timeout'; readonly ms: number }
  | { readonly fault: 'drop_connection'; readonly ms: 0 };

export type ApiOutcome = ApiResponse | NoResponse;
