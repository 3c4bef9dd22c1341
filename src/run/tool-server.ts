// What the HTTP door and the tool server agree on. They never import one another: `main` hands the second to the first, and
// both run the same operations through the same gate.

import type { Problem } from '../base/errors.ts';
import type { Admit, RateLimit } from './admission.ts';
import type { AppContext } from './context.ts';
import type { Perform } from './perform.ts';
import type { Principal } from './principal.ts';

/** What every door is handed. */
export interface ToolServerContext {
  readonly app: AppContext;
  readonly admit: Admit;
  readonly perform: Perform;
  /** Where the schemas are published. */
  readonly schemaUrl: () => string;
}

/** A POST to the tool server, as it came. */
export interface ToolRequest {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** A problem: it was too large, which is told when it is known who sent it. */
  readonly body: Buffer | Problem;
  readonly address: string;
  readonly requestId: string;
}

export interface ToolResponse {
  /** A refusal is answered as on every other route; else the answer stands beside. */
  readonly refusal: Problem | null;
  readonly status: number;
  /** Null: there is nothing to say (202). */
  readonly json: string | null;
  readonly caller: Principal | null;
  readonly rateLimit: RateLimit | null;
  /** What was done, as metrics and the log name it. */
  readonly operation: string;
  /** How it went by the status that its route would have answered, of a batch the greatest; null: HTTP's own says it all. */
  readonly toolStatus: number | null;
  /** Seconds; null: nobody has to wait. */
  readonly retryAfter: number | null;
}

export type ToolServer = (post: ToolRequest) => Promise<ToolResponse>;

/** Called when the first POST comes: whoever never sends one does not wait for it to load. */
export type OpenToolServer = (inside: ToolServerContext) => Promise<ToolServer>;
