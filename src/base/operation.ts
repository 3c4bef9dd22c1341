// What an operation is: declared once as data, from which HTTP, the tool server, OpenAPI, the SDK's types and the
// reference are made. `Who` is the caller as the trade knows them; the ground does not look inside.

import type { Db, Queryable } from './db.ts';
import type { ErrorCode, FieldProblem } from './errors.ts';
import type { BadText } from './json/parse.ts';

/** How a caller proves who they are. */
export type Auth =
  | 'open' // no proof; counted for the address
  | 'secret' // a partner's secret key
  | 'guest' // a publishable key from a registered origin, or a member's token
  | 'member' // a member's token
  | 'hook' // the token in the address
  | 'operator'; // the operator's token

export type Method = 'GET' | 'POST' | 'DELETE';

/** A JSON Schema written in place, or the name of a published one. */
export type SchemaRef = string | Readonly<Record<string, unknown>>;

export interface BodyChoice {
  readonly schema: string;
  /** Chooses this schema for a body before it is validated, so that nobody sees an "any of" error. */
  readonly when: (body: unknown) => boolean;
  /** A list whose items are judged one by one by the command: what is wrong with an item's text is for it to say. */
  readonly itemsOf?: string;
}

export interface ResponseShape {
  readonly description: string;
  /** Absent: there is no body. */
  readonly schema?: SchemaRef;
  readonly example?: unknown;
}

export interface OperationResult {
  readonly status: number;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** The JSON itself, where it is at hand as text: from the database, or put together from parts that never change. */
  readonly json?: string;
  /** The answer to an earlier, equal call. */
  readonly replayed?: true;
  /** Sent as CSV instead, where that was asked for. */
  readonly csv?: string;
  /** Of a page in CSV, which cannot say so itself: the `before` of the next one. */
  readonly nextBefore?: string | null;
}

export interface Input<Body = unknown> {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: Body;
  /** What is wrong if this is to become a new object (a time that has passed); a replay is spared. */
  readonly whenNew: readonly FieldProblem[];
  /** Text that cannot be stored, in a list whose items the command judges itself. */
  readonly badStrings: readonly BadText[];
  /** For an operation that keeps its own idempotency: the header's key, if any, and what two equal calls have in common. */
  readonly idempotency?: { readonly key: string | null; readonly fingerprint: Buffer };
  /** The caller would rather have CSV; only where the operation offers it. */
  readonly asCsv?: boolean;
}

/** What a command is handed besides its input: the database, and the caller. Never the outside world. */
export type Command<Who, Body = unknown> = (db: Queryable, who: Who, input: Input<Body>) => Promise<OperationResult>;

/**
 * A read, or a command that writes in one statement. It is handed the database itself, with no transaction around it; a
 * Command can stand in its place.
 */
export type Query<Who, Body = unknown> = (db: Db, who: Who, input: Input<Body>) => Promise<OperationResult>;

/** A command that calls the outside: it is handed what it needs for that, and opens its own short transactions. */
export type ExternalCommand<Who, Outside, Body = unknown> = (
  outside: Outside,
  who: Who,
  input: Input<Body>,
) => Promise<OperationResult>;

/** A body as it came, for an operation whose bytes are somebody else's to sign. */
export interface RawRequest {
  readonly raw: Buffer;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** A command that is handed the raw body, checks it by itself, and stores it. */
export type IntakeCommand<Who, Outside> = (outside: Outside, who: Who, raw: RawRequest) => Promise<OperationResult>;

export type ExternalCheck<Outside, Body = unknown> = (
  outside: Outside,
  input: Input<Body>,
) => Promise<readonly FieldProblem[]>;

export interface Operation<Who> {
  readonly id: string;
  readonly method: Method;
  /** With parameters in braces, as OpenAPI writes it. */
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  readonly auth: Auth;
  /** One of these scopes is enough. */
  readonly scopes?: readonly string[];
  readonly effect: 'read' | 'write';
  readonly linkedOnly?: true;
  readonly testOnly?: true;
  /** Takes the Idempotency-Key header. */
  readonly idempotent?: true;
  readonly query?: Readonly<Record<string, unknown>>;
  /** The first choice that fits is the schema of the body; absent: no body, or an empty object. */
  readonly body?: readonly BodyChoice[];
  /** Takes any JSON object: what is in it is for somebody else to read. */
  readonly anyObject?: true;
  readonly bodyLimit?: number;
  readonly responses: Readonly<Record<number, ResponseShape>>;
  /** Answers in CSV to whoever asks for that by `Accept`: what its lines are, and whether it is a page that names the next. */
  readonly csv?: { readonly lines: string; readonly isPage: boolean };
  /** Error codes beyond those that every operation of this kind can give. */
  readonly errors?: readonly ErrorCode[];
  /** Absent: declared for a later release, answers 501 after every check has passed. */
  readonly run?: Query<Who, never>;
  /** What it reads, a checkout by the `id` in its path, is looked up in one question with the key of whoever asks. */
  readonly prefetchesCheckout?: true;
  /** Does all of its writing in one statement, idempotency included: it needs no transaction around it. */
  readonly inOneStatement?: true;
  /** What is wrong with the input that only the outside knows; asked before `run`, without a transaction. */
  readonly check?: ExternalCheck<never, never>;
  /** Instead of `run`, for an operation that calls the outside. */
  readonly callExternal?: ExternalCommand<never, never, never>;
  /** Instead of `run`: the tool server answers, which runs other operations. */
  readonly servedByToolServer?: true;
  /** Instead of `run`, for an operation that takes the body as it came. It answers HEAD as well, to show that it is there. */
  readonly intake?: IntakeCommand<never, never>;
}
