// The response to a failed request: one shape for every failure, and the address of a page for every code.

import { isUnavailable } from '../base/db.ts';
import { MAX_LISTED, Problem } from '../base/errors.ts';
import { ProcessorUnavailable } from '../domain/payments/processor.ts';

export interface HttpProblem {
  readonly status: number;
  readonly json: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The database or the processor cannot be reached: the caller may try again. Null: the error has another cause. */
export function unavailableProblem(error: unknown): Problem | null {
  const isDown = isUnavailable(error) || error instanceof ProcessorUnavailable;
  return isDown ? new Problem('service_unavailable', { headers: { 'retry-after': '1' }, cause: error }) : null;
}

/**
 * Any other error that is not a Problem is a fault of the server: the caller sees internal_error, and the log has the
 * cause.
 */
export function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  return unavailableProblem(error) ?? new Problem('internal_error', { cause: error });
}

export function isDatabaseAway({ cause }: Problem): boolean {
  return isUnavailable(cause);
}

export function toHttpProblem(problem: Problem, requestId: string, baseUrl: string): HttpProblem {
  const { field, reason, problems, headers } = problem.detail;
  const error = {
    code: problem.code,
    message: problem.message,
    ...(field === undefined ? {} : { field }),
    ...(reason === undefined ? {} : { reason }),
    request_id: requestId,
  };
  const errors = problems
    ?.slice(0, MAX_LISTED)
    .map((one) => ({ ...one, doc_url: `${baseUrl}/docs/errors/${one.code}` }));
  const body = errors === undefined ? { error } : { error, errors };
  return { status: problem.status, json: JSON.stringify(body), headers: headers ?? {} };
}
