// A request before its body is read, and what authorization says about it.

import type { Problem } from '../base/errors.ts';
import type { RateLimit } from './admission.ts';
import type { AppOperation } from './app-operation.ts';
import type { Principal } from './principal.ts';

/** What a browser sends for the console. */
export interface ConsoleHeaders {
  /** The token of the cookie; null: there is no cookie. */
  readonly token: string | null;
  /** The cookie that marks the browser, and how the browser names itself. */
  readonly deviceToken: string | null;
  readonly userAgent: string | null;
  /** Everyshare-Venue and Everyshare-Mode. */
  readonly venue: string | undefined;
  readonly mode: string | undefined;
  /** Sec-Fetch-Site: where the page that sends the request comes from. */
  readonly fetchSite: string | undefined;
}

/** What is known of a request before its body is read. */
export interface IncomingRequest {
  readonly operation: AppOperation;
  readonly params: Readonly<Record<string, string>>;
  readonly authorization: string | undefined;
  readonly origin: string | undefined;
  readonly acceptLanguage?: string | undefined;
  readonly address: string;
  readonly requestId: string;
  readonly via: 'http' | 'mcp';
  /** Absent: there is no cookie of the console, and the operation is not the console's. */
  readonly console?: ConsoleHeaders | undefined;
  /** A message of the tool protocol that no rate limit counts, with a valid key. */
  readonly isUncounted?: boolean;
  /** A page of another site sends it to the tool server, which such pages may not use. */
  readonly isForeignOrigin?: boolean;
}

export interface AuthResult {
  readonly rateLimit: RateLimit | null;
  /** Null: the caller is not authenticated. */
  readonly caller: Principal | null;
  readonly refusal: Problem | null;
}
