// The interface between the HTTP server and the tool server. They never import one another: `main` hands the tool
// server to the HTTP server, and both run the same operations through the same admission.

import type { Problem } from '../base/errors.ts';
import type { Admit, RateLimit } from './admission.ts';
import type { AppContext } from './context.ts';
import type { Perform } from './perform.ts';
import type { Principal } from './principal.ts';

export interface ToolServerContext {
  readonly app: AppContext;
  readonly admit: Admit;
  readonly perform: Perform;
  /** The address under which the schemas are published. */
  readonly schemaUrl: () => string;
}

/** A POST to the tool server, as it arrived. */
export interface ToolRequest {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** A problem: the body was too large. It is reported after the caller is authorized. */
  readonly body: Buffer | Problem;
  readonly address: string;
  readonly requestId: string;
}

/** What the request log keeps of a POST. */
export interface PostedTool {
  /** The tool that was called, and the operation that it runs; null: none, or a batch. */
  readonly tool: { readonly name: string; readonly operation: string } | null;
  readonly arguments: unknown;
  readonly isReplayed: boolean;
}

export interface ToolResponse {
  /** Answered as on every other route; null: `status` and `json` are the answer. */
  readonly refusal: Problem | null;
  readonly status: number;
  /** Null: there is no body (202). */
  readonly json: string | null;
  readonly caller: Principal | null;
  readonly rateLimit: RateLimit | null;
  /** The name in metrics and log: callTool, with the name of the tool. */
  readonly operation: string;
  /** The status that the tool's route would have answered, the greatest of a batch; null: no tool was called. */
  readonly toolStatus: number | null;
  /** Why the tool failed, of a batch the first that did; null: none failed. */
  readonly toolProblem: Problem | null;
  readonly posted: PostedTool;
  /** Seconds; null: the caller need not wait. */
  readonly retryAfter: number | null;
}

export type ToolServer = (request: ToolRequest) => Promise<ToolResponse>;

/** Called at the first POST, so that a start does not wait for the tool server to load. */
export type OpenToolServer = (context: ToolServerContext) => Promise<ToolServer>;
