// After the storm: waits until nothing is under way any more, by the workers alone. What is due and not taken up after longer than
// a lease is a violation; `everyshare reconcile` settles it, and what is planned for later. And asks the operator's own commands
// what they think of the books.

import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Db } from '../../src/base/db.ts';
import type { Found } from '../support/violation.ts';
import type { RunSetup } from './run-setup.ts';

export interface SettleResult {
  /** Seconds until nothing was under way by the workers' own doing; null: reconcile had to help. */
  readonly secondsByWorkers: number | null;
  /** What was under way when reconcile was asked. */
  readonly leftForReconcile: number;
  readonly seconds: number;
}

/** The program whose commands are asked, and its settings. */
type Program = Pick<RunSetup, 'program' | 'sharedEnv'>;

const COMMAND_MS = 90_000;

interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export async function countUnfinished(db: Db): Promise<number> {
  const rows = await db.query<{ left: number }>(
    `select (select count(*) from holds where status in ('requested', 'capturing', 'releasing'))
       + (select count(*) from movements where status in ('waiting', 'sending'))
       + (select count(*) from checkouts where status = 'funded')
       + (select count(*) from checkouts where status in ('open', 'collecting') and expires_at <= now() - interval '1 second')
       as left`,
  );
  return rows[0]?.left ?? 0;
}

/** Of them, those whose time has come and that nobody has taken up. What a bank refused for a while is planned for later. */
async function countOverdue(db: Db): Promise<number> {
  const rows = await db.query<{ left: number }>(
    `select (select count(*) from holds where status in ('requested', 'releasing') and due_at < now() - interval '5 seconds')
       + (select count(*) from movements where status in ('waiting', 'sending') and due_at < now() - interval '5 seconds')
       + (select count(*) from checkouts where status = 'funded'
            and coalesce(capture_due_at, '-infinity') < now() - interval '5 seconds')
       + (select count(*) from checkouts where status in ('open', 'collecting') and expires_at < now() - interval '5 seconds')
       as left`,
  );
  return rows[0]?.left ?? 0;
}

export async function settle(
  db: Db,
  setup: RunSetup,
  databaseUrl: string,
  patienceMs: number,
  found: Found,
): Promise<SettleResult> {
  const began = Date.now();
  const isCalm = async (until: number): Promise<boolean> => {
    for (; Date.now() <= until; await delay(250)) if ((await countUnfinished(db)) === 0) return true;
    return (await countUnfinished(db)) === 0;
  };
  const byItself = (await isCalm(began + patienceMs)) ? (Date.now() - began) / 1000 : null;
  const leftForReconcile = byItself === null ? await countUnfinished(db) : 0;
  if (byItself === null) checkNothingOverdue(patienceMs, await countOverdue(db), found);
  // What takes several turns (a bank that says "not now" three times) is asked about several times.
  for (let round = 0; round < 8; round++) {
    const differences = await reconcile(setup, databaseUrl, found);
    if (differences === null) break;
    for (const { what, subject, done } of differences) {
      // Books are compared while workers still work, unless all was calm: what is only early is no difference.
      if (byItself !== null || done !== null || round === 7)
        found('reconcile finds nothing', subject, `${what} (${done ?? 'not mended'})`);
    }
    if ((await isCalm(Date.now() + 1_500)) && differences.length === 0) break;
  }
  await checkLedgerByCommand(setup, databaseUrl, found);
  return { secondsByWorkers: byItself, leftForReconcile, seconds: (Date.now() - began) / 1000 };
}

/** The leases of everything that a worker takes up; whoever died with one is followed by another after that. */
const LEASE_MS = 60_000;

/** Whoever waits for longer than a lease has given the workers every chance: what is due then, they would never have done. */
export function checkNothingOverdue(patienceMs: number, left: number, found: Found): void {
  if (left === 0 || patienceMs <= LEASE_MS) return;
  const words = `${left} are due ${patienceMs / 1000} s after it was quiet, and nobody takes them up`;
  found('everything ends by itself', 'workers', words);
}

interface Difference {
  readonly what: string;
  readonly subject: string;
  readonly done: string | null;
}

/** Null: it did not run to its end. */
export async function reconcile(
  setup: Program,
  databaseUrl: string,
  found: Found,
): Promise<readonly Difference[] | null> {
  const ran = await run(setup, databaseUrl, ['reconcile', '--json']);
  try {
    return (JSON.parse(ran.out) as { differences: Difference[] }).differences;
  } catch {
    found('reconcile runs', 'everyshare reconcile', `it ended with ${ran.code}: ${ran.err.slice(-400)}`);
    return null;
  }
}

export async function checkLedgerByCommand(setup: Program, databaseUrl: string, found: Found): Promise<void> {
  const ran = await run(setup, databaseUrl, ['ledger', 'check', '--json']);
  if (ran.code !== 0)
    found('the ledger check finds nothing', 'everyshare ledger check', (ran.out + ran.err).slice(-400));
}

function run(setup: Program, databaseUrl: string, words: readonly string[]): Promise<Ran> {
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(process.execPath, [join(setup.program, 'dist', 'main.js'), ...words], {
    env: { PATH, HOME, ...setup.sharedEnv, DATABASE_URL: databaseUrl },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const texts = { out: '', err: '' };
  child.stdout.on('data', (chunk: Buffer) => {
    texts.out += chunk;
  });
  child.stderr.on('data', (chunk: Buffer) => {
    texts.err += chunk;
  });
  const kill = (): void => {
    texts.err += 'it did not end in time';
    child.kill('SIGKILL');
  };
  const late = setTimeout(kill, COMMAND_MS);
  process.once('exit', kill);
  return new Promise((resolve) => {
    child.once('close', (code) => {
      clearTimeout(late);
      process.off('exit', kill);
      resolve({ code, ...texts });
    });
  });
}
