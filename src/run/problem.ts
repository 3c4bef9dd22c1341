// The response to a failed request: one shape for every failure, and the address of a page for every code.

import { MAX_LISTED, Problem } from '../base/errors.ts';

export interface HttpProblem {
  readonly status: number;
  readonly json: string;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * An error that is not a Problem is a fault of the server: the caller sees internal_error, and the log has the cause.
 */
export function asProblem(error: unknown): Problem {
  return error instanceof Problem ? error : new Problem('internal_error', { cause: error });
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
