// How the embedded processor says no: Stripe's error object with its HTTP status. A refusal that came after the work had
// begun keeps what was written (a declined card leaves its trace) and is remembered under the idempotency key.

interface ErrorBody {
  readonly type: 'invalid_request_error' | 'card_error' | 'idempotency_error' | 'api_error';
  readonly message: string;
  readonly code?: string;
  readonly decline_code?: string;
  readonly param?: string;
  readonly charge?: string;
  readonly doc_url?: string;
  readonly payment_intent?: unknown;
  readonly payment_method?: unknown;
}

export class ApiError extends Error {
  readonly status: number;
  readonly error: ErrorBody;
  /** True: the endpoint had begun. What it wrote is kept, and the same key gets the same answer. */
  readonly isExecuted: boolean;

  constructor(status: number, error: ErrorBody, executed: boolean) {
    super(error.message);
    this.name = 'Refusal';
    this.status = status;
    this.error = error;
    this.isExecuted = executed;
  }

  body(): string {
    const { code } = this.error;
    const link =
      code === undefined ? {} : { doc_url: `https://stripe.com/docs/error-codes/${code.replace(/_/g, '-')}` };
    return JSON.stringify({ error: { ...link, ...this.error } });
  }
}

/** The request itself is wrong: nothing was begun, and the idempotency key stays unused. */
export function invalidRequest(message: string, param?: string, code?: string): ApiError {
  const error: ErrorBody = {
    type: 'invalid_request_error',
    message,
    ...(param === undefined ? {} : { param }),
    ...(code === undefined ? {} : { code }),
  };
  return new ApiError(400, error, false);
}

/** The request is well formed but what it asks for cannot be done as things stand. */
export function operationFailed(code: string, message: string, more: Partial<ErrorBody> = {}): ApiError {
  return new ApiError(400, { type: 'invalid_request_error', code, message, ...more }, true);
}

export function notFound(what: string, id: string, param = 'id'): ApiError {
  const message = `No such ${what}: '${id}'`;
  return new ApiError(404, { type: 'invalid_request_error', code: 'resource_missing', message, param }, false);
}

export function unauthorized(message: string): ApiError {
  return new ApiError(401, { type: 'invalid_request_error', message }, false);
}
