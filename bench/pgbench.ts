// Runs the SQL of creates through pgbench, if the machine has it: a client in C that shares nothing with our code but
// the statements. pgbench draws the random parts of each create, and PostgreSQL builds the values from them.

import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { hashOfKey } from '../src/domain/keys/key.ts';

/** Debian's folder, with a subfolder for each version. */
const DEBIAN_POSTGRES_FOLDER = '/usr/lib/postgresql';

/** The path of pgbench, from PATH or from Debian's newest version; null if there is none. */
export function findPgbench(): string | null {
  const versions = existsSync(DEBIAN_POSTGRES_FOLDER)
    ? readdirSync(DEBIAN_POSTGRES_FOLDER).sort((a, b) => Number(b) - Number(a))
    : [];
  const folders = [
    ...(process.env.PATH ?? '').split(delimiter),
    ...versions.map((version) => join(DEBIAN_POSTGRES_FOLDER, version, 'bin')),
  ];
  return folders.map((folder) => join(folder, 'pgbench')).find((path) => existsSync(path)) ?? null;
}

export interface CreateTarget {
  readonly venueId: string;
  readonly key: string;
  /** A body with BOOKING_PLACEHOLDER as its booking; pgbench puts a new booking there for each create. */
  readonly body: string;
}

export const BOOKING_PLACEHOLDER = 'booking-of-pgbench';
const LOG_PREFIX = 'done';

export interface PgbenchResult {
  readonly rate: number;
  readonly created: number;
}

/**
 * Runs `each` creates over each of `clients` connections. New connections first load the catalogue and our functions,
 * so the rate leaves that time out, with the times of pgbench's own log.
 */
export async function runCreates(
  pgbench: string,
  url: string,
  creates: readonly CreateTarget[],
  { each, clients }: { readonly each: number; readonly clients: number },
): Promise<PgbenchResult> {
  const folder = mkdtempSync(join(tmpdir(), 'everyshare-pgbench-'));
  try {
    const file = join(folder, 'create.sql');
    writeFileSync(file, scriptOf(creates));
    const args = ['--no-vacuum', '--protocol=prepared', `--client=${clients}`, `--transactions=${each}`];
    const log = ['--log', `--log-prefix=${join(folder, LOG_PREFIX)}`];
    const { stdout, stderr } = await promisify(execFile)(pgbench, [...args, ...log, `--file=${file}`, url]);
    const processed = Number(/^number of transactions actually processed: (\d+)/m.exec(stdout)?.[1]);
    const transactions = readLogs(folder);
    if (processed !== each * clients || transactions.length !== processed)
      throw new Error(`pgbench: ${stdout.slice(-400)}${stderr.slice(-400)}`);
    return { created: processed, rate: rateOf(transactions, each) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface LoggedTransaction {
  /** Its number on its connection, from 1. */
  readonly nth: number;
  /** Time of its end, in seconds. */
  readonly at: number;
}

function readLogs(folder: string): LoggedTransaction[] {
  const logs = readdirSync(folder).filter((name) => name.startsWith(LOG_PREFIX));
  return parseLog(logs.map((name) => readFileSync(join(folder, name), 'utf8')).join(''));
}

/**
 * The transactions by time of their end. A line has: connection, number, duration, script, end (seconds), end
 * (microseconds).
 */
export function parseLog(log: string): LoggedTransaction[] {
  const lines = log.trim().split('\n');
  return lines
    .map((line) => line.split(' ').map(Number))
    .map(([, nth = 0, , , seconds = 0, micros = 0]) => ({ nth, at: seconds + micros / 1e6 }))
    .sort((a, b) => a.at - b.at);
}

/** Transactions a second, from the end of the first third until the first connection has finished. */
export function rateOf(transactions: readonly LoggedTransaction[], each: number): number {
  const first = Math.floor(transactions.length / 3);
  const last = transactions.findIndex(({ nth }) => nth === each);
  const seconds = (transactions[last]?.at ?? 0) - (transactions[first]?.at ?? 0);
  if (!(last > first && seconds > 0)) throw new Error('pgbench: one connection finished before the others had begun');
  return (last - first) / seconds;
}

function scriptOf(creates: readonly CreateTarget[]): string {
  const id = (prefix: string): string => `'${prefix}_' || lpad(:n::text, 26, '0')`;
  const pick = (values: readonly string[], type: string): string =>
    `('{${values.map((value) => `"${value}"`).join(',')}}'::${type}[])[:v]`;
  const [before = '', after = ''] = (creates[0]?.body ?? '').replaceAll("'", "''").split(BOOKING_PLACEHOLDER);
  const hashes = creates.map(({ key }) => `\\\\x${hashOfKey(key).toString('hex')}`);
  const venues = creates.map(({ venueId }) => venueId);
  return [
    `\\set v random(1, ${creates.length})`,
    '\\set n random(1, 9000000000000000000)',
    `select * from admit(array[${pick(hashes, 'bytea')}], array['write'], array[1]);`,
    `select * from create_checkout(${pick(venues, 'uuid')}, 'test', ${id('chk')}, ${id('evt')}, null,`,
    `  '\\x${'00'.repeat(32)}'::bytea, ('${before}booking-' || :n::text || '${after}')::json,`,
    `  'http://127.0.0.1/c/' || ${id('chk')}, clock_timestamp(), true, interval '30 days');`,
    '',
  ].join('\n');
}
