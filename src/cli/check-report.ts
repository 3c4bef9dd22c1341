// The checks of `everyshare doctor`: each says what was found and, for a problem or a notice, the remedy. The command
// exits with 1 only if there is a problem.

import { isUnavailable } from '../base/db.ts';
import { errorLine } from './cli-error.ts';
import type { CommandResult } from './command-definition.ts';
import { block } from './table.ts';

export interface Check {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
  readonly remedy: string | null;
}

export function passed(name: string, detail: string): Check {
  return { name, ok: true, detail, remedy: null };
}

/** Passed, with a recommendation. */
export function notice(name: string, detail: string, remedy: string): Check {
  return { name, ok: true, detail, remedy };
}

export function problem(name: string, detail: string, remedy: string): Check {
  return { name, ok: false, detail, remedy };
}

/** An error inside a check is reported as its problem, and the other checks still run. */
export async function runCheck(name: string, check: Promise<Check>): Promise<Check> {
  try {
    return await check;
  } catch (error) {
    return failedCheck(name, error);
  }
}

export function failedCheck(name: string, error: unknown): Check {
  const remedy = isUnavailable(error)
    ? 'check DATABASE_URL and that PostgreSQL is running.'
    : 'do what the detail says, then run "everyshare doctor" again.';
  return problem(name, errorLine(error, []), remedy);
}

function statusWord(ok: boolean, remedy: string | null): string {
  if (!ok) return 'PROBLEM';
  return remedy === null ? 'ok' : 'notice';
}

export function report(checks: readonly Check[]): CommandResult {
  const problems = checks.filter((check) => !check.ok);
  const rows = checks.flatMap(({ name, ok, detail, remedy }) => {
    const row: [string, string, string][] = [[statusWord(ok, remedy), name, detail]];
    return remedy === null ? row : [...row, ['', '', `remedy: ${remedy}`] as [string, string, string]];
  });
  const result = { json: { ok: problems.length === 0, checks }, text: block(rows) };
  if (problems.length === 0) return result;
  return {
    ...result,
    failure: `doctor found a problem with ${problems.map((check) => check.name).join(', ')}: follow the remedy beside it.`,
  };
}
