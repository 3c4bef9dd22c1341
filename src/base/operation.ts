// What an operation is: declared once as data, from which HTTP, the tool server, OpenAPI and the reference are made.
// `kind` says how it runs, and each kind has the fields that it uses. The types of callers and services belong to the
// application: run/app-operation.ts names them.

import type { Db, Queryable } from './db.ts';
import type { ErrorCode, FieldProblem } from './errors.ts';
import type { BadText } from './json/parse.ts';

/** How a caller authenticates. */
export type Auth =
  | 'open' // no proof; counted for the address
  | 'secret' // a partner's secret key, or a session of the console in a venue
  | 'guest' // a publishable key from a registered origin, or a member's token
  | 'member' // a member's token
  | 'account' // a session of the console
  | 'team' // a session of the console in a venue
  | 'desk' // a session of the console whose account is an operator
  | 'hook' // the token in the address
  | 'operator'; // the operator's token

export type Method = 'GET' | 'POST' | 'DELETE';

/** A JSON Schema written in place, or the name of a published one. */
export type SchemaRef = string | Readonly<Record<string, unknown>>;

export interface BodyChoice {
  readonly schema: string;
  /** Chooses this schema for a body before it is validated, so that callers see no "any of" error. */
  readonly when: (body: unknown) => boolean;
  /** A list whose items the command validates one by one; it reports text in them that cannot be stored. */
  readonly itemsOf?: string;
}

export interface ResponseShape {
  readonly description: string;
  /** Absent: there is no body. */
  readonly schema?: SchemaRef;
  /** Where the example of this answer differs from the example of its schema; objects are merged. */
  readonly exampleWith?: Readonly<Record<string, unknown>>;
}

export interface OperationResult {
  readonly status: number;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** The JSON itself, where the command has it as text already: from the database, or from constant parts. */
  readonly json?: string;
  /** This is the stored response to an earlier, equal call. */
  readonly replayed?: true;
  /** Sent as CSV instead, where the caller asked for it. */
  readonly csv?: string;
  /** The `before` of the next page, for a page of CSV, which cannot hold it. */
  readonly nextBefore?: string | null;
  /** Set as the cookie of the console; null: the cookie is deleted. */
  readonly sessionToken?: string | null;
  /** Set as the cookie that marks the browser of the console. */
  readonly deviceToken?: string;
}

export interface Input<Body = unknown> {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: Body;
  /**
   * What is wrong if the body creates a new object (a time that has passed, an origin that is not registered). A replay
   * ignores it.
   */
  readonly whenNew: readonly FieldProblem[];
  /** Text that cannot be stored, in a list whose items the command validates itself. */
  readonly badTexts: readonly BadText[];
  /** The version of the object that the caller saw: if it has changed since, the command refuses. Absent: any version. */
  readonly expectedVersion?: string;
  /** The caller prefers CSV. Set only where the operation offers it. */
  readonly asCsv?: boolean;
}

/** The input of an operation that takes an Idempotency-Key. */
export interface IdempotentInput<Body = unknown> extends Input<Body> {
  /** The key of the header, if any, and the fingerprint that two equal calls share. */
  readonly idempotency: { readonly key: string | null; readonly fingerprint: Buffer };
}

/** The body as it arrived, for an operation that verifies a signature over its bytes. */
export interface RawRequest {
  readonly raw: Buffer;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** The contract of an operation: its address, who may call it, what it takes and what it answers. */
interface OperationContract {
  readonly id: string;
  readonly method: Method;
  /** With parameters in braces, as OpenAPI writes it. */
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  /** Absent: partners and their guests. What the console and the desk alone call is in /console/openapi.json. */
  readonly audience?: 'console' | 'desk';
  readonly auth: Auth;
  /** It is about the key itself: a session of the console cannot make this call. */
  readonly keyOnly?: true;
  /** A session of the console needs a fresh code, of the last ten minutes: at every call, or in live mode. */
  readonly stepUp?: 'always' | 'live';
  /** One of these scopes is enough. */
  readonly scopes?: readonly string[];
  /** Which of the caller's rate limits the call counts against. */
  readonly effect: 'read' | 'write';
  readonly linkedOnly?: true;
  readonly testOnly?: true;
  /** Takes the Idempotency-Key header. */
  readonly idempotent?: true;
  readonly query?: Readonly<Record<string, unknown>>;
  /** The first choice that fits is the schema of the body; absent: no body, or an empty object. */
  readonly body?: readonly BodyChoice[];
  readonly bodyLimit?: number;
  readonly responses: Readonly<Record<number, ResponseShape>>;
  /**
   * Answers in CSV to a caller that prefers it by `Accept`: what its lines are, and whether it is one page of several.
   */
  readonly csv?: { readonly lines: string; readonly isPage: boolean };
  /** Error codes beyond those that every operation of this kind can answer. */
  readonly errors?: readonly ErrorCode[];
}

// The schema that the operation names has validated the body before `run`; each command names the type of that schema.
// biome-ignore lint/suspicious/noExplicitAny: the bodies of a list of operations have no type in common.
type ValidatedInput = Input<any>;
// biome-ignore lint/suspicious/noExplicitAny: as above.
type ValidatedIdempotentInput = IdempotentInput<any>;

type Result = Promise<OperationResult>;

/** A read: it is handed the database itself, with no transaction around it. */
export interface QueryOperation<Caller> extends OperationContract {
  readonly kind: 'query';
  /** A person in a venue is a caller as a secret key is. */
  readonly auth: 'secret' | 'team';
  readonly method: 'GET';
  readonly effect: 'read';
  readonly body?: never;
  readonly bodyLimit?: never;
  readonly idempotent?: never;
  /** Reads the checkout whose `id` is in the path; admission looks it up in the statement that looks up the key. */
  readonly prefetchesCheckout?: true;
  readonly run: (db: Db, caller: Caller, input: ValidatedInput) => Result;
}

interface WriteContract extends OperationContract {
  readonly auth: 'secret';
  readonly effect: 'write';
  readonly query?: never;
  readonly csv?: never;
}

/** Writes in one transaction, which `perform` opens; the response to an Idempotency-Key is stored in it. */
export interface CommandOperation<Caller, Services> extends WriteContract {
  readonly kind: 'command';
  /** Finds problems of the input that only another server knows; runs before the transaction. */
  readonly check?: (services: Services, input: ValidatedInput) => Promise<readonly FieldProblem[]>;
  readonly run: (tx: Queryable, caller: Caller, input: ValidatedInput) => Result;
}

/** Writes in one statement, its idempotency record included, and so needs no transaction around it. */
export interface StatementOperation<Caller> extends WriteContract {
  readonly kind: 'statement';
  readonly idempotent: true;
  readonly run: (db: Db, caller: Caller, input: ValidatedIdempotentInput) => Result;
}

interface ExternalCommand<ByAuth extends Auth, Caller, Services> extends OperationContract {
  readonly kind: 'external';
  readonly auth: ByAuth;
  readonly run: (services: Services, caller: Caller, input: ValidatedIdempotentInput) => Result;
}

/** Calls other servers, or opens its own transactions: it is handed services instead of a transaction. */
export type ExternalOperation<Callers extends Record<Auth, unknown>, Services> = {
  [ByAuth in Exclude<Auth, 'hook'>]: ExternalCommand<ByAuth, Callers[ByAuth], Services>;
}[Exclude<Auth, 'hook'>];

/** Takes the body as it arrived, verifies and stores it. It answers HEAD too, by which a sender tests the address. */
export interface IntakeOperation<Caller, Services> extends OperationContract {
  readonly kind: 'intake';
  readonly auth: 'hook';
  readonly method: 'POST';
  readonly effect: 'write';
  readonly query?: never;
  readonly body?: never;
  readonly idempotent?: never;
  readonly csv?: never;
  readonly run: (services: Services, caller: Caller, request: RawRequest) => Result;
}

/** One message of a stream of server-sent events. */
export interface ServerSentEvent {
  readonly id: string;
  readonly event: string;
  readonly data: string;
}

/** Ends when the signal aborts, or when the reader is too far behind. */
export type EventSource = AsyncIterable<readonly ServerSentEvent[]>;

/** What a stream is opened with. */
export interface StreamInput {
  readonly params: Readonly<Record<string, string>>;
  /** The header Last-Event-ID: a stream that can be resumed goes on after it. */
  readonly lastEventId: string | null;
}

/** Answers with server-sent events for as long as the client reads them. */
interface StreamContract<ByAuth extends Auth, Caller, Services> extends OperationContract {
  readonly kind: 'stream';
  readonly auth: ByAuth;
  readonly method: 'GET';
  readonly effect: 'read';
  readonly query?: never;
  readonly body?: never;
  readonly idempotent?: never;
  readonly csv?: never;
  /** For the document: what `data` of a message is, and the `id` and `event` of its example. */
  readonly message: { readonly data: string; readonly id: string; readonly event: string };
  /** Problems are thrown here, before the first byte. */
  readonly open: (services: Services, caller: Caller, input: StreamInput, signal: AbortSignal) => Promise<EventSource>;
}

/** For a partner's program: it can be resumed, and a key may have a few open. */
export interface PartnerStreamOperation<Caller, Services> extends StreamContract<'secret', Caller, Services> {
  readonly maxPerKey: number;
}

/** For an open page, about one checkout: it lasts a few minutes, and begins with the present state. */
export type PageStreamOperation<Caller, Services> = StreamContract<'guest', Caller, Services>;

/** Answered by the tool server, which runs other operations. */
export interface ToolServerOperation extends OperationContract {
  readonly kind: 'tool server';
  readonly auth: 'secret';
  readonly method: 'POST';
  readonly query?: never;
  readonly body?: never;
  readonly idempotent?: never;
  readonly csv?: never;
}

/** `Callers` names the type of a caller for each kind of authentication. */
export type Operation<Callers extends Record<Auth, unknown>, Services> =
  | QueryOperation<Callers['secret']>
  | CommandOperation<Callers['secret'], Services>
  | StatementOperation<Callers['secret']>
  | ExternalOperation<Callers, Services>
  | IntakeOperation<Callers['hook'], Services>
  | PartnerStreamOperation<Callers['secret'], Services>
  | PageStreamOperation<Callers['guest'], Services>
  | ToolServerOperation;
