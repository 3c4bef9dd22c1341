// The errors of the SDK. Every one is an EveryshareError; an answer of the server is an ApiError with a class for each
// kind of status, so that a program can act on the class or on `code`.

import type { RateLimit } from './api-promise.ts';
import type { ErrorBody, ErrorCode } from './types.gen.ts';

/** One problem of a body that was refused with 422. */
export type FieldProblem = NonNullable<ErrorBody['errors']>[number];

export class EveryshareError extends Error {
  override readonly name: string = 'EveryshareError';
}

/** There was no complete answer: no connection, or it was cut. `cause` is what fetch threw. */
export class ConnectionError extends EveryshareError {
  override readonly name: string = 'ConnectionError';
}

/** There was no complete answer within `timeout`. */
export class TimeoutError extends ConnectionError {
  override readonly name: string = 'TimeoutError';
}

export interface ApiErrorFields {
  readonly message: string;
  readonly status: number;
  readonly code: string;
  readonly field: string | null;
  readonly reason: string | null;
  readonly errors: readonly FieldProblem[];
  readonly requestId: string | null;
  readonly rateLimit: RateLimit | null;
  readonly retryAfter: number | null;
  readonly response: Response;
}

/** The server refused the request, or failed. */
export class ApiError extends EveryshareError {
  override readonly name: string = 'ApiError';
  readonly status: number;
  /** Act on this, not on the message. `unexpected_response`: the answer is not from the API. */
  readonly code: ErrorCode | 'unexpected_response' | (string & {});
  /** A JSON pointer to the wrong input; null when no single input is wrong. */
  readonly field: string | null;
  /** Which conflict it is, with the code `conflict`. */
  readonly reason: string | null;
  /** Every problem of the body, with its pointer, what was expected, and a value that would pass. */
  readonly errors: readonly FieldProblem[];
  /** Give it to support. */
  readonly requestId: string | null;
  readonly rateLimit: RateLimit | null;
  /** Seconds to wait before one more call is accepted. */
  readonly retryAfter: number | null;
  readonly #response: Response;

  constructor(fields: ApiErrorFields) {
    super(fields.message);
    this.status = fields.status;
    this.code = fields.code;
    this.field = fields.field;
    this.reason = fields.reason;
    this.errors = fields.errors;
    this.requestId = fields.requestId;
    this.rateLimit = fields.rateLimit;
    this.retryAfter = fields.retryAfter;
    this.#response = fields.response;
  }

  /** Its body has been read. Not shown when the error is printed: its address may have a credential, as that of a hook. */
  get response(): Response {
    return this.#response;
  }
}

/** 422 and the other statuses of a wrong request: correct it before you send it again. */
export class InvalidRequestError extends ApiError {
  override readonly name = 'InvalidRequestError';
}
/** 401. */
export class AuthenticationError extends ApiError {
  override readonly name = 'AuthenticationError';
}
/** 403. */
export class PermissionError extends ApiError {
  override readonly name = 'PermissionError';
}
/** 404. */
export class NotFoundError extends ApiError {
  override readonly name = 'NotFoundError';
}
/** 409; `reason` says which conflict it is. */
export class ConflictError extends ApiError {
  override readonly name = 'ConflictError';
}
/** 429; `retryAfter` says how long to wait. */
export class RateLimitError extends ApiError {
  override readonly name = 'RateLimitError';
}
/** 5xx. */
export class ServerError extends ApiError {
  override readonly name = 'ServerError';
}

const CLASSES: Readonly<Record<number, new (fields: ApiErrorFields) => ApiError>> = {
  401: AuthenticationError,
  403: PermissionError,
  404: NotFoundError,
  409: ConflictError,
  429: RateLimitError,
};

/** The error of a response that is not a success; `text` is its body. */
export function errorOf(response: Response, text: string, rateLimit: RateLimit | null): ApiError {
  const { status, headers } = response;
  const body = bodyOf(text);
  const message = body?.error.message ?? `The answer is not from the API (status ${status}): check baseUrl.`;
  const ErrorClass = CLASSES[status] ?? (status >= 500 ? ServerError : InvalidRequestError);
  return new ErrorClass({
    message,
    status,
    code: body?.error.code ?? 'unexpected_response',
    field: body?.error.field ?? null,
    reason: body?.error.reason ?? null,
    errors: body?.errors ?? [],
    requestId: body?.error.request_id ?? headers.get('x-request-id'),
    rateLimit,
    retryAfter: retryAfterOf(headers),
    response,
  });
}

function bodyOf(text: string): ErrorBody | null {
  try {
    const body = JSON.parse(text) as Partial<ErrorBody> | null;
    if (typeof body?.error?.message !== 'string') return null;
    // A refusal of JSON-RPC has a number there, which its text names as well.
    const code: unknown = body.error.code;
    return { ...body, error: { ...body.error, code: typeof code === 'string' ? code : 'json_rpc_error' } } as ErrorBody;
  } catch {
    return null;
  }
}

/** In seconds. A proxy may write it as a date. */
function retryAfterOf(headers: Headers): number | null {
  const text = headers.get('retry-after');
  if (text === null) return null;
  const seconds = /^\d+$/.test(text) ? Number(text) : (Date.parse(text) - Date.now()) / 1000;
  return Number.isNaN(seconds) ? null : Math.max(0, seconds);
}
