// Errors of the processor's API: Stripe's error object with its HTTP status. An error thrown after the operation began
// commits what the operation wrote (a declined card leaves a failed charge) and is stored under the idempotency key.

interface ErrorBody {
  readonly type: 'invalid_request_error' | 'card_error' | 'idempotency_error' | 'api_error';
  readonly message: string;
  readonly code?: string;
  readonly decline_code?: string;
  readonly advice_code?: string;
  readonly param?: string;
  readonly charge?: string;
  readonly doc_url?: string;
  readonly payment_intent?: unknown;
  readonly payment_method?: unknown;
}

export class ApiError extends Error {
  readonly status: number;
  readonly error: ErrorBody;
  /** The operation had begun: what it wrote is committed, and the same idempotency key gets this error again. */
  readonly isExecuted: boolean;

  constructor(status: number, error: ErrorBody, isExecuted: boolean) {
    super(error.message);
    this.name = 'ApiError';
    this.status = status;
    this.error = error;
    this.isExecuted = isExecuted;
  }

  body(): string {
    const { code } = this.error;
    const link =
      code === undefined ? {} : { doc_url: `https://stripe.com/docs/error-codes/${code.replace(/_/g, '-')}` };
    return JSON.stringify({ error: { ...link, ...this.error } });
  }
}

/** The request itself is wrong: the operation did not begin, and the idempotency key stays unused. */
export function invalidRequest(message: string, param?: string, code?: string): ApiError {
  const error: ErrorBody = {
    type: 'invalid_request_error',
    message,
    ...(param === undefined ? {} : { param }),
    ...(code === undefined ? {} : { code }),
  };
  return new ApiError(400, error, false);
}

/** The request is well formed, but the state of its object does not allow it. */
export function operationFailed(code: string, message: string, more: Partial<ErrorBody> = {}): ApiError {
  return new ApiError(400, { type: 'invalid_request_error', code, message, ...more }, true);
}

export function notFound(objectName: string, id: string, param = 'id'): ApiError {
  const message = `No such ${objectName}: '${id}'`;
  return new ApiError(404, { type: 'invalid_request_error', code: 'resource_missing', message, param }, false);
}

export function unauthorized(message: string): ApiError {
  return new ApiError(401, { type: 'invalid_request_error', message }, false);
}
