// How a command fails: one line for a person that names what was wrong and what to do, and an exit code (2 for a line
// that was typed wrongly, 1 for a wish that could not be met).

import { isUnavailable, sqlState } from '../base/db.ts';
import { Problem } from '../base/errors.ts';
import { scrub } from '../base/log.ts';
import { ProcessorUnavailable } from '../domain/payments/processor.ts';

export class CliError extends Error {
  readonly exit: 1 | 2;

  constructor(message: string, exit: 1 | 2) {
    super(message);
    this.name = 'Fault';
    this.exit = exit;
  }
}

export function usageError(message: string): CliError {
  return new CliError(message, 2);
}

export function refused(message: string): CliError {
  return new CliError(message, 1);
}

const LONGEST_ECHO = 80;

/** What was typed, between quotes, cut where it gets long. */
export function quoted(text: string): string {
  return text.length > LONGEST_ECHO ? `"${text.slice(0, LONGEST_ECHO)}…"` : `"${text}"`;
}

export function noSuch(what: 'venue' | 'key' | 'member', id: string): CliError {
  const remedy = what === 'member' ? 'create' : 'list';
  const shown = what === 'member' ? 'makes one' : 'shows those that there are';
  return refused(`there is no ${what} ${id}: "everyshare ${what} ${remedy}" ${shown}.`);
}

/** Runs what looks something up by its id, so that "not found" says what was not found. */
export async function lookedUp<T>(what: 'venue' | 'key', id: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'not_found') throw error;
    throw noSuch(what, id);
  }
}

/** One line for whatever went wrong, with nothing in it that is secret or moves the cursor. */
export function lineFor(error: unknown, options: readonly string[]): string {
  return scrub(words(error, options))
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/\p{Cc}/gu, '')
    .trim();
}

function words(error: unknown, options: readonly string[]): string {
  if (error instanceof Problem) {
    const option = error.detail.field?.slice(1).replaceAll('_', '-') ?? '';
    return options.includes(option) ? `--${option}: ${error.message}` : error.message;
  }
  if (isUnavailable(error)) {
    const cause = sqlState(error) || (error instanceof Error ? error.message : '');
    return `the database cannot be reached (${cause}): check DATABASE_URL and that PostgreSQL is running, or try "everyshare doctor".`;
  }
  if (error instanceof ProcessorUnavailable) {
    return `the card processor does not answer (${error.message}): start it, or check its keys and SANDBOX_PROCESSOR_URL.`;
  }
  if (error instanceof Error) return error.message || error.name;
  return String(error);
}
