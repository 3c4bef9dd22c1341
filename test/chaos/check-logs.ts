// Checks the log files of a run. No line may contain a secret of the run or text in the shape of one
// (test/logs/scan.ts), no request may end with internal_error, no process may crash, and a process that logged
// "stopped" must exit.

import { createReadStream, existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { findIn, Secrets } from '../logs/scan.ts';
import type { Found } from '../support/violation.ts';
import { SECRET } from './receivers.ts';
import type { RunSetup } from './run-setup.ts';

type LogSetup = Pick<RunSetup, 'folder' | 'scratch' | 'processorSecrets' | 'sharedEnv'>;

/** A server's line for an unexpected error. */
const INTERNAL_ERROR = /"code":"internal_error"/;
/** What Node prints for an uncaught exception. */
const CRASH = /Unhandled 'error' event|ERR_UNHANDLED_REJECTION|^Uncaught |^ +throw er;/;
/** A process's last line, and its line for a shutdown that exceeded its time limit. */
const STOP_MESSAGE = /"pid":(\d+),"msg":"(the process has stopped|the process did not stop in time and exits)"/;
/** For each file and rule. */
const MAX_REPORTED_LINES = 5;

/** `clientSecrets`: keys, tokens, phones and client secrets that clients got. Returns the number of lines. */
export async function checkLogs(setup: LogSetup, clientSecrets: Iterable<string>, found: Found): Promise<number> {
  const secrets = new Secrets();
  const texts = new Set([
    ...clientSecrets,
    ...Object.values(setup.processorSecrets),
    setup.sharedEnv.ENCRYPTION_KEY ?? '',
    setup.sharedEnv.OPERATOR_TOKEN ?? '',
    SECRET,
  ]);
  for (const text of texts) if (text.length >= MIN_SECRET_LENGTH) secrets.add('a secret of this run', text);
  let lines = 0;
  for (const file of logFiles(setup)) lines += await checkFile(file, secrets, found);
  if (lines === 0) found('logs contain no secrets', 'logs', 'no line was read, so nothing was checked');
  return lines;
}

/** Shorter texts are not secrets, and would match by chance. */
const MIN_SECRET_LENGTH = 8;

/** The logs of all processes and of one or two PostgreSQL servers. */
function logFiles({ folder, scratch }: LogSetup): string[] {
  const own = join(folder, 'logs');
  const database = join(scratch, 'database');
  const names = [join('postgres', 'postgres.log'), 'a.log', 'b.log'].map((name) => join(database, name));
  return [...readdirSync(own).map((name) => join(own, name)), ...names.filter((name) => existsSync(name))];
}

async function checkFile(file: string, secrets: Secrets, found: Found): Promise<number> {
  let [number, secretLines, errorLines] = [0, 0, 0];
  const stopped = new Set<string>();
  const name = file.slice(file.lastIndexOf('/') + 1);
  for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Infinity })) {
    number += 1;
    const match = findIn(line, secrets);
    if (match !== null && ++secretLines <= MAX_REPORTED_LINES) {
      const [kind, text] = match;
      const shown = line.replaceAll(text, `[${kind}]`).slice(0, 400);
      found('logs contain no secrets', name, `line ${number} contains ${kind}: ${shown}`);
    }
    if (INTERNAL_ERROR.test(line) && ++errorLines <= MAX_REPORTED_LINES) {
      found('no request ends with internal_error', name, `line ${number}: ${line.slice(0, 900)}`);
    }
    if (CRASH.test(line)) found('no process crashes', name, `line ${number}: ${line.slice(0, 400)}`);
    const [, pid = '', message] = STOP_MESSAGE.exec(line) ?? [];
    if (message === 'the process has stopped') stopped.add(pid);
    else if (message !== undefined && stopped.has(pid))
      found(
        'a stopped process exits',
        name,
        `line ${number}: process ${pid} logged that it has stopped, and then "${message}"`,
      );
  }
  if (secretLines > MAX_REPORTED_LINES) found('logs contain no secrets', name, `${secretLines} lines in all`);
  if (errorLines > MAX_REPORTED_LINES) found('no request ends with internal_error', name, `${errorLines} lines in all`);
  return number;
}
