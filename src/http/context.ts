// What every route is handed, and what the server notes on a request while it is answered.

import type { Problem } from '../base/errors.ts';
import type { RequestLog } from '../domain/requests/request-log.ts';
import type { Admit, RateLimit } from '../run/admission.ts';
import type { AppContext } from '../run/context.ts';
import type { Perform } from '../run/perform.ts';
import type { Principal } from '../run/principal.ts';
import type { PostedTool } from '../run/tool-server.ts';
import type { EventStreams } from './event-stream.ts';
import type { Metrics } from './metrics.ts';

/** Made once, before the server listens. */
export interface HttpContext {
  readonly app: AppContext;
  readonly admit: Admit;
  readonly perform: Perform;
  readonly metrics: Metrics;
  /** Null: REQUEST_LOG is off. */
  readonly requestLog: RequestLog | null;
  /** Of partners' programs. */
  readonly streams: EventStreams;
  /** Of open pages. */
  readonly pageStreams: EventStreams;
  /** The service's own addresses, known once the server listens. */
  readonly urls: () => Urls;
}

export interface Urls {
  readonly base: string;
  readonly checkoutPages: string;
  readonly schemas: string;
}

declare module 'fastify' {
  interface FastifyRequest {
    caller: Principal | null;
    rateLimit: RateLimit | null;
    /** The name of the operation in metrics and log. */
    operation: string;
    /**
     * The status that the route of a called tool would have answered: the tool server answers a failed tool with 200.
     */
    toolStatus: number | null;
    /** What was posted to the tool server; null: another route. */
    toolCall: PostedTool | null;
    /** Why the request failed, for the request log; null: it did not. */
    problem: Problem | null;
    /** After how long a stream began: how long it lasted says nothing about the server. Null: it is no stream. */
    streamBeganMs: number | null;
    /** The call has left nothing for a worker to do, though it is no read. */
    leavesNoWork: boolean;
    /** The largest body that this caller may send; null: the limit of the route. */
    bodyLimit: number | null;
  }
}
