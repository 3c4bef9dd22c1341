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

export class Refusal extends Error {
  readonly status: number;
  readonly error: ErrorBody;
  /** True: the endpoint had begun. What it wrote is kept, and the same key gets the same answer. */
  readonly executed: boolean;

  constructor(status: number, error: ErrorBody, executed: boolean) {
    super(error.message);
    this.name = 'Refusal';
    this.status = status;
    this.error = error;
    this.executed = executed;
  }

  body(): string {
    const { code } = this.error;
    const link =
      code === undefined ? {} : { doc_url: `https://stripe.com/docs/error-codes/${code.replace(/_/g, '-')}` };
    return JSON.stringify({ error: { ...link, ...this.error } });
  }
}

/** The request itself is wrong: nothing was begun, and the idempotency key stays unused. */
export function invalid(message: string, param?: string, code?: string): Refusal {
  const error: ErrorBody = {
    type: 'invalid_request_error',
    message,
    ...(param === undefined ? {} : { param }),
    ...(code === undefined ? {} : { code }),
  };
  return new Refusal(400, error, false);
}

/** The request is well formed but what it asks for cannot be done as things stand. */
export function cannot(code: string, message: string, more: Partial<ErrorBody> = {}): Refusal {
  return new Refusal(400, { type: 'invalid_request_error', code, message, ...more }, true);
}

export function missing(what: string, id: string, param = 'id'): Refusal {
  const message = `No such ${what}: '${id}'`;
  return new Refusal(404, { type: 'invalid_request_error', code: 'resource_missing', message, param }, false);
}

export function unauthorized(message: string): Refusal {
  return new Refusal(401, { type: 'invalid_request_error', message }, false);
}
