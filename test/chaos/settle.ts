// After the nemesis: waits until the workers have finished all work. Work that is due and not claimed after longer than
// a lease is a violation; `everyshare reconcile` finishes it, and work that is scheduled for later. Refunds that fail
// half a minute later are waited for, and reconcile may report them; some are closed. Then runs the operator's commands
// that check the records.

import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Db } from '../../src/base/db.ts';
import type { Found } from '../support/violation.ts';
import { readProcessorRefunds } from './records.ts';
import type { RunSetup } from './run-setup.ts';

export interface SettleResult {
  /** Seconds until the workers had finished all work; null if reconcile had to finish it. */
  readonly secondsByWorkers: number | null;
  /** Unfinished work when reconcile was run. */
  readonly leftForReconcile: number;
  readonly seconds: number;
  /** What reconcile has named. */
  readonly reported: readonly Difference[];
}

/** The program whose commands are run, and its settings. */
type Program = Pick<RunSetup, 'program' | 'sharedEnv'>;

const COMMAND_TIMEOUT_MS = 90_000;

interface CommandResult {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export async function countUnfinished(db: Db): Promise<number> {
  const rows = await db.query<{ left: number }>(
    `select (select count(*) from holds where status in ('requested', 'capturing', 'releasing'))
       + (select count(*) from movements where status in ('waiting', 'sending', 'pending'))
       + (select count(*) from checkouts where status = 'funded')
       + (select count(*) from checkouts where status in ('open', 'collecting') and expires_at <= now() - interval '1 second')
       as left`,
  );
  return rows[0]?.left ?? 0;
}

/**
 * Unfinished work that is due and that no worker has claimed. A capture that the processor refused is scheduled for
 * later.
 */
async function countOverdue(db: Db): Promise<number> {
  const rows = await db.query<{ left: number }>(
    `select (select count(*) from holds where status in ('requested', 'releasing') and due_at < now() - interval '5 seconds')
       + (select count(*) from movements where status in ('waiting', 'sending', 'pending') and due_at < now() - interval '5 seconds')
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
  timeoutMs: number,
  found: Found,
  canHaveLosses = false,
): Promise<SettleResult> {
  const startedAt = Date.now();
  const isFinishedBy = async (until: number): Promise<boolean> => {
    for (; Date.now() <= until; await delay(250)) if ((await countUnfinished(db)) === 0) return true;
    return (await countUnfinished(db)) === 0;
  };
  const secondsByWorkers = (await isFinishedBy(startedAt + timeoutMs)) ? (Date.now() - startedAt) / 1000 : null;
  const leftForReconcile = secondsByWorkers === null ? await countUnfinished(db) : 0;
  if (secondsByWorkers === null) checkNothingOverdue(timeoutMs, await countOverdue(db), found);
  await awaitRefunds(db, setup);
  // Some work needs several attempts (a capture that is refused three times), so reconcile runs several times.
  const allReported: Difference[] = [];
  for (let round = 0; round < (canHaveLosses ? LOSS_ROUNDS : 8); round++) {
    const reported = await (canHaveLosses ? reconcileAndApply : reconcile)(setup, databaseUrl, found);
    if (reported === null) break;
    allReported.push(...reported);
    const differences = reported.filter(({ what }) => !FAILED_REFUND.test(what));
    for (const { what, subject, done } of canHaveLosses ? [] : differences) {
      // If workers were still working, an unrepaired difference may be temporary until the last round.
      if (secondsByWorkers !== null || done !== null || round === 7)
        found('reconcile finds nothing', subject, `${what} (${done ?? 'not repaired'})`);
    }
    if ((await isFinishedBy(Date.now() + 1_500)) && differences.length === 0) break;
  }
  await closeFailedRefunds(setup, databaseUrl, found);
  await checkLedgerByCommand(setup, databaseUrl, found);
  const seconds = (Date.now() - startedAt) / 1000;
  return { secondsByWorkers, leftForReconcile, seconds, reported: allReported };
}

/**
 * What reconcile reports for a refund that failed later, heard of or not; the rules about money compare each with the
 * processor.
 */
const FAILED_REFUND =
  /^a (refund|return) of \d+ was refused by the processor \(expired_or_canceled_card\)$|^\d+ of the refunds has failed at the processor$/;
/** The processor changes a refund of some test cards half a minute after it was made. */
const REFUND_CHANGE_MS = 32_000;
/** Longer than that, and than the first retries of an event. */
const MAX_REFUND_WAIT_MS = 90_000;

/** Waits until no refund changes any more, and the service has heard of those that failed. */
async function awaitRefunds(db: Db, setup: RunSetup): Promise<void> {
  for (const until = Date.now() + MAX_REFUND_WAIT_MS; Date.now() < until; await delay(1_000)) {
    const rows = await db.query<{ id: string }>(
      `select movement_id as id from movements where kind in ('refund', 'return') and status = 'failed'`,
    );
    const failedHere = new Set(rows.map(({ id }) => id));
    const isChanging = (await readProcessorRefunds(setup)).some(
      ({ movementId, status, createdAt }) =>
        status === 'pending' ||
        (status === 'succeeded' && createdAt > Date.now() - REFUND_CHANGE_MS) ||
        (status === 'failed' && !failedHere.has(movementId)),
    );
    if (!isChanging) return;
  }
}

const MAX_CLOSED_REFUNDS = 3;

/** The operator reserves some of the failed refunds, pays them in another way, and closes them. */
async function closeFailedRefunds(setup: RunSetup, databaseUrl: string, found: Found): Promise<void> {
  const listed = await runCommand(setup, databaseUrl, ['refund', 'list', '--json']);
  if (listed.code !== 0) return found('a failed refund can be closed', 'everyshare refund list', listed.err);
  const refunds = JSON.parse(listed.out) as { readonly id: string }[];
  for (const { id } of refunds.slice(0, MAX_CLOSED_REFUNDS)) {
    for (const step of [
      ['reserve', id],
      ['close', id, '--note', 'paid by the chaos run'],
    ]) {
      const done = await runCommand(setup, databaseUrl, ['refund', ...step]);
      if (done.code !== 0) found('a failed refund can be closed', id, done.err);
    }
  }
}

/** The lease of all work: after it another worker claims the work of a worker that died. */
const LEASE_MS = 60_000;

/** Work that is due and unclaimed longer than a lease after the nemesis would never be done. */
export function checkNothingOverdue(timeoutMs: number, left: number, found: Found): void {
  if (left === 0 || timeoutMs <= LEASE_MS) return;
  const what = `${left} are due and unclaimed ${timeoutMs / 1000} s after the nemesis ended`;
  found('workers finish all work', 'workers', what);
}

export interface Difference {
  readonly what: string;
  readonly subject: string;
  readonly done: string | null;
}

/** Some differences stay: an operator decides about them. */
const LOSS_ROUNDS = 3;
const UNKNOWN_CHARGE = /: --apply refunds it$/;

/** Lists the differences, and then applies the remedies, as an operator does after a loss. */
async function reconcileAndApply(
  setup: Program,
  databaseUrl: string,
  found: Found,
): Promise<readonly Difference[] | null> {
  const listed = await reconcile(setup, databaseUrl, found);
  const charges = (listed ?? []).filter(({ what }) => UNKNOWN_CHARGE.test(what)).length;
  const confirmed = charges === 0 ? [] : ['--unknown-charges', String(charges)];
  const applied = await reconcile(setup, databaseUrl, found, ['--apply', ...confirmed]);
  return listed === null || applied === null ? null : [...listed, ...applied];
}

/** Returns null if the command failed. */
export async function reconcile(
  setup: Program,
  databaseUrl: string,
  found: Found,
  options: readonly string[] = [],
): Promise<readonly Difference[] | null> {
  const result = await runCommand(setup, databaseUrl, ['reconcile', ...options, '--json']);
  try {
    return (JSON.parse(result.out) as { differences: Difference[] }).differences;
  } catch {
    found('reconcile runs', 'everyshare reconcile', `it exited with ${result.code}: ${result.err.slice(-400)}`);
    return null;
  }
}

export async function checkLedgerByCommand(setup: Program, databaseUrl: string, found: Found): Promise<void> {
  const result = await runCommand(setup, databaseUrl, ['ledger', 'check', '--json']);
  if (result.code !== 0)
    found('the ledger check finds nothing', 'everyshare ledger check', (result.out + result.err).slice(-400));
}

function runCommand(setup: Program, databaseUrl: string, args: readonly string[]): Promise<CommandResult> {
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(process.execPath, [join(setup.program, 'dist', 'main.js'), ...args], {
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
    texts.err += 'it did not exit in time';
    child.kill('SIGKILL');
  };
  const timer = setTimeout(kill, COMMAND_TIMEOUT_MS);
  process.once('exit', kill);
  return new Promise((resolve) => {
    child.once('close', (code) => {
      clearTimeout(timer);
      process.off('exit', kill);
      resolve({ code, ...texts });
    });
  });
}
