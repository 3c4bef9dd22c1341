// Sends a refused request again with the example of one of its problems, and reports the problem if it is still there. Only
// some requests are sent again: the others keep the fuzzer fast.

import { parseStrictJson } from '../../src/base/json/parse.ts';
import { isOutsideRequest, type ProblemWithExample, withExample } from '../support/apply-example.ts';
import type { HttpResponse, Request, Sender } from './send.ts';

const SENT_AGAIN_EVERY = 4;
/** Other requests change the same objects: an example may be out of date when it arrives. */
const MAX_TRIES = 3;

export async function findExampleFaults(
  sender: Pick<Sender, 'send'>,
  request: Request,
  response: HttpResponse,
): Promise<string[]> {
  if (request.number % SENT_AGAIN_EVERY !== 0) return [];
  let latest = response;
  let first: ProblemWithExample | undefined;
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const problems = problemsOf(latest);
    const problem = first === undefined ? problems[request.number % problems.length] : sameAs(first, problems);
    const fixed = problem === undefined ? null : fixedBody(request, problem);
    if (problem === undefined || fixed === null) return [];
    first ??= problem;
    latest = await sender.send({ ...request, body: fixed });
  }
  const left = first === undefined ? undefined : sameAs(first, problemsOf(latest));
  return left === undefined ? [] : [`${left.code} at ${left.field} remains after its example_fix`];
}

function sameAs(problem: ProblemWithExample, problems: readonly ProblemWithExample[]): ProblemWithExample | undefined {
  return problems.find(({ code, field }) => code === problem.code && field === problem.field);
}

function problemsOf({ status, text, failure }: HttpResponse): readonly ProblemWithExample[] {
  // The answer to HEAD has no body, and a request with a second one behind it has two answers.
  if (status !== 422 || failure !== null || !text.startsWith('{')) return [];
  return (JSON.parse(text) as { readonly errors?: readonly ProblemWithExample[] }).errors ?? [];
}

/** Null: the problem is not in the body, or its pointer was shortened or escaped. */
function fixedBody({ body }: Request, problem: ProblemWithExample): Buffer | null {
  if (body === null || /^\/(query|header)\//.test(problem.field) || problem.code === 'review_queue_full') return null;
  const parsed = parseStrictJson(body);
  if (!parsed.ok || isOutsideRequest(problem, parsed.value)) return null;
  try {
    return Buffer.from(JSON.stringify(withExample(parsed.value, problem)));
  } catch {
    return null; // The pointer leads to no place of the body: it was shortened or escaped.
  }
}
