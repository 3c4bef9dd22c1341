// What the processes wrote while they were beaten: nothing that has the shape of a secret, none that the run made or that a client
// was told (test/logs/scan.ts reads the lines), and no mistake of ours: an internal_error is one, whoever was told of it; so is a
// process that crashes, or that says that it has stopped and does not end.

import { createReadStream, existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { findIn, Secrets } from '../logs/scan.ts';
import type { Found } from '../support/violation.ts';
import { SECRET } from './receivers.ts';
import type { RunSetup } from './run-setup.ts';

type Logged = Pick<RunSetup, 'folder' | 'scratch' | 'processorSecrets' | 'sharedEnv'>;

/** The line of a server that met an unexpected error. */
const MISTAKE = /"code":"internal_error"/;
/** What Node writes when nobody catches. */
const CRASH = /Unhandled 'error' event|ERR_UNHANDLED_REJECTION|^Uncaught |^ +throw er;/;
/** The last line of a process that stopped, and of one that did not stop in time. */
const LAST_LINE = /"pid":(\d+),"msg":"(the process has stopped|the process did not stop in time and exits)"/;
/** Of each file: the rest says no more. */
const MOST_SHOWN = 5;

/** `told`: what clients know and nobody else should, such as keys, tokens, phones and client secrets. */
export async function checkLines(setup: Logged, response: Iterable<string>, found: Found): Promise<number> {
  const secrets = new Secrets();
  const known = new Set([
    ...response,
    ...Object.values(setup.processorSecrets),
    setup.sharedEnv.ENCRYPTION_KEY ?? '',
    setup.sharedEnv.OPERATOR_TOKEN ?? '',
    SECRET,
  ]);
  for (const text of known) if (text.length >= SHORTEST) secrets.add('a secret of this run', text);
  let lines = 0;
  for (const file of filesOf(setup)) lines += await checkFile(file, secrets, found);
  if (lines === 0) found('logs give nothing away', 'logs', 'not one line was read, so that nothing was shown');
  return lines;
}

/** Shorter ones are no secrets, and would be found everywhere. */
const SHORTEST = 8;

/** What the processes wrote, and PostgreSQL, one or two of them. */
function filesOf({ folder, scratch }: Logged): string[] {
  const own = join(folder, 'logs');
  const database = join(scratch, 'database');
  const names = [join('postgres', 'postgres.log'), 'a.log', 'b.log'].map((name) => join(database, name));
  return [...readdirSync(own).map((name) => join(own, name)), ...names.filter((name) => existsSync(name))];
}

async function checkFile(file: string, secrets: Secrets, found: Found): Promise<number> {
  let [number, finds, mistakes] = [0, 0, 0];
  const stopped = new Set<string>();
  const name = file.slice(file.lastIndexOf('/') + 1);
  for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Infinity })) {
    number += 1;
    const held = findIn(line, secrets);
    if (held !== null && ++finds <= MOST_SHOWN) {
      const [kind, text] = held;
      const shown = line.replaceAll(text, `[${kind}]`).slice(0, 400);
      found('logs give nothing away', name, `line ${number} holds ${kind}: ${shown}`);
    }
    if (MISTAKE.test(line) && ++mistakes <= MOST_SHOWN) {
      found('nobody is told internal_error', name, `line ${number}: ${line.slice(0, 900)}`);
    }
    if (CRASH.test(line)) found('no process crashes', name, `line ${number}: ${line.slice(0, 400)}`);
    const [, pid = '', words] = LAST_LINE.exec(line) ?? [];
    if (words === 'the process has stopped') stopped.add(pid);
    else if (words !== undefined && stopped.has(pid))
      found(
        'whoever has stopped ends',
        name,
        `line ${number}: process ${pid} logged that it has stopped, and then "${words}"`,
      );
  }
  if (finds > MOST_SHOWN) found('logs give nothing away', name, `${finds} lines in all`);
  if (mistakes > MOST_SHOWN) found('nobody is told internal_error', name, `${mistakes} lines in all`);
  return number;
}
