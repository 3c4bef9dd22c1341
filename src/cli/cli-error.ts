// The errors of the command line: one line that says what is wrong and what to do, and an exit code (2 for wrong usage, 1
// for any other failure).

import { isUnavailable, sqlState } from '../base/db.ts';
import { Problem } from '../base/errors.ts';
import { scrub } from '../base/log.ts';
import { ProcessorUnavailable } from '../domain/payments/processor.ts';
import { printable } from './table.ts';

export class CliError extends Error {
  readonly exitCode: 1 | 2;

  constructor(message: string, exit: 1 | 2) {
    super(message);
    this.name = 'CliError';
    this.exitCode = exit;
  }
}

export function usageError(message: string): CliError {
  return new CliError(message, 2);
}

export function commandError(message: string): CliError {
  return new CliError(message, 1);
}

const MAX_QUOTED_LENGTH = 80;

/** The operator's text in quotes, shortened if it is long. */
export function quoted(text: string): string {
  return text.length > MAX_QUOTED_LENGTH ? `"${text.slice(0, MAX_QUOTED_LENGTH)}…"` : `"${text}"`;
}

export function unknownId(what: 'venue' | 'key' | 'token-key' | 'member', id: string): CliError {
  const remedy = what === 'member' ? 'create' : 'list';
  const hint = what === 'member' ? 'creates one' : 'lists them';
  return commandError(`there is no ${what} ${id}: "everyshare ${what} ${remedy}" ${hint}.`);
}

/** Runs `work` and turns its "not found" into an error that names the missing object. */
export async function explainNotFound<T>(what: 'venue' | 'key', id: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'not_found') throw error;
    throw unknownId(what, id);
  }
}

/** The reserved numbers of the sandbox belong to no person: help texts and messages use them as examples. */
const EXAMPLE_PHONE = /(\+15550100[01]\d{2}(?!\d))/;

/** Any error as one line, without secrets and without characters that could move the cursor: a server wrote some of it. */
export function errorLine(error: unknown, options: readonly string[]): string {
  const text = messageOf(error, options)
    .split(EXAMPLE_PHONE)
    .map((part) => (EXAMPLE_PHONE.test(part) ? part : scrub(part)))
    .join('');
  return printable(text.replaceAll(/\s+/g, ' ').trim());
}

function messageOf(error: unknown, options: readonly string[]): string {
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
