// Every error code in one catalogue, never reused. A code has one status, one default sentence,
// and one page under docs/errors to which `doc_url` leads. A test compares the pages with this list.

export const catalogue = {
  malformed_request: { status: 400, message: 'The request is not valid HTTP.' },
  invalid_json: { status: 400, message: 'The body is not valid JSON.' },
  unauthorized: {
    status: 401,
    message: 'The API key is missing, unknown, revoked or expired. Send it as "Authorization: Bearer <key>".',
  },
  insufficient_scope: { status: 403, message: 'This key does not carry the scope that this call needs.' },
  ip_not_allowed: { status: 403, message: 'This key may not be used from this address.' },
  wrong_key_kind: { status: 403, message: 'This kind of key cannot be used here.' },
  origin_not_allowed: { status: 403, message: 'This origin is not registered for the venue.' },
  mode_not_available: { status: 403, message: 'This mode is not available here.' },
  venue_not_linked: {
    status: 403,
    message: 'This venue is a sandbox: complete the checklist of going live in the console first.',
  },
  venue_suspended: {
    status: 403,
    message: 'This venue is suspended: no new checkouts are created, and those that exist go on. Ask the operator.',
  },
  role_not_allowed: { status: 403, message: 'Your role in this venue does not allow this.' },
  step_up_required: { status: 403, message: 'This call needs a fresh code: confirm who you are first.' },
  not_organizer: { status: 403, message: 'Only the organizer of this checkout may do this.' },
  share_not_yours: { status: 403, message: 'This share belongs to someone else.' },
  not_found: { status: 404, message: 'There is nothing here, or it is not yours.' },
  method_not_allowed: { status: 405, message: 'This address does not take that method.' },
  request_timeout: { status: 408, message: 'The request took too long to arrive.' },
  conflict: { status: 409, message: 'This does not fit the present state. The reason says why.' },
  payload_too_large: { status: 413, message: 'The body is too large.' },
  unsupported_media_type: { status: 415, message: 'Send the body as application/json.' },
  invalid_request: { status: 422, message: 'A field is not right.' },
  missing_field: { status: 422, message: 'A required field is missing.' },
  unknown_field: { status: 422, message: 'This field is not known.' },
  invalid_type: { status: 422, message: 'The value has the wrong type.' },
  invalid_value: { status: 422, message: 'The value is not one of those allowed.' },
  invalid_format: { status: 422, message: 'The value is not in the right form.' },
  out_of_range: { status: 422, message: 'The value is out of range.' },
  too_long: { status: 422, message: 'The text is too long.' },
  too_short: { status: 422, message: 'The text is too short.' },
  too_many_items: { status: 422, message: 'There are too many items.' },
  too_few_items: { status: 422, message: 'There are too few items.' },
  not_unique: { status: 422, message: 'The value occurs more than once.' },
  not_allowed: { status: 422, message: 'The value does not go together with another one.' },
  review_queue_full: { status: 422, message: 'Too many submissions are waiting for review.' },
  rate_limited: { status: 429, message: 'The hourly limit is used up. Wait Retry-After seconds.' },
  headers_too_large: { status: 431, message: 'The request headers are too large.' },
  internal_error: {
    status: 500,
    message: 'Something went wrong on our side. Try again with backoff and quote the request id.',
  },
  service_unavailable: { status: 503, message: 'The service is not ready. Try again in a moment.' },
} as const satisfies Record<string, { status: number; message: string }>;

/** A response lists at most this many problems. */
export const MAX_LISTED = 100;

export type ErrorCode = keyof typeof catalogue;

interface ProblemText {
  readonly message: string;
  readonly field: string;
  readonly expected: string;
}

/** No value is valid for an unknown member: it is left out. */
export interface UnknownField extends ProblemText {
  readonly code: 'unknown_field';
  readonly example_fix: null;
}

/** Every other problem shows a value that would pass. */
export interface FixableProblem extends ProblemText {
  readonly code: Exclude<ErrorCode, 'unknown_field'>;
  /** Passes at `field`. For a member whose name is wrong it is a valid name; for a limit it is the value as sent. */
  readonly example_fix: NonNullable<unknown>;
  /** The pointer where `example_fix` passes, if no value passes at `field`: as a rule that of the object around it. */
  readonly example_fix_field?: string;
}

/** One thing that is wrong with one field, as `errors[]` shows it (the entry point adds its doc_url). */
export type FieldProblem = UnknownField | FixableProblem;

/** The same problem with its pointers changed: for an object that was checked alone and was sent inside another. */
export function withPointers(problem: FieldProblem, change: (pointer: string) => string): FieldProblem {
  const field = change(problem.field);
  if (problem.code === 'unknown_field' || problem.example_fix_field === undefined) return { ...problem, field };
  return { ...problem, field, example_fix_field: change(problem.example_fix_field) };
}

export interface ProblemDetail {
  readonly message?: string;
  readonly field?: string;
  readonly reason?: string;
  readonly problems?: readonly FieldProblem[];
  readonly headers?: Readonly<Record<string, string>>;
  /** For the log only, never sent. */
  readonly cause?: unknown;
}

/** A failure that the caller sees: a code from the catalogue, a message for the caller, and a cause for the log. */
export class Problem extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly detail: ProblemDetail;

  constructor(code: ErrorCode, detail: ProblemDetail = {}) {
    super(detail.message ?? catalogue[code].message, { cause: detail.cause });
    this.name = 'Problem';
    this.code = code;
    this.status = catalogue[code].status;
    this.detail = detail;
  }
}

/** 422 with every problem; the first one is also `error`. */
export function invalid(problems: readonly FieldProblem[]): Problem {
  const first = problems[0];
  if (first === undefined) throw new Error('invalid() needs at least one problem');
  return new Problem(first.code, { message: first.message, field: first.field, problems });
}

export function conflict(reason: string, message: string): Problem {
  return new Problem('conflict', { reason, message });
}

/** A foreign object, an unknown id and a revoked venue's object all give this, so that a caller cannot tell them apart. */
export function notFound(): Problem {
  return new Problem('not_found');
}
