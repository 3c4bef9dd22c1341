// The creates' own SQL through pgbench, where the machine has it: a client in C, with nothing of ours but the statements.
// What differs from create to create is drawn by pgbench and put together by PostgreSQL.

import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { hashOfKey } from '../src/domain/keys/key.ts';

/** Where Debian keeps the programs of each version. */
const DEBIAN = '/usr/lib/postgresql';

/** Its path, or null where there is none. */
export function findPgbench(): string | null {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [
    ...(process.env.PATH ?? '').split(delimiter),
    ...versions.map((version) => join(DEBIAN, version, 'bin')),
  ];
  return folders.map((folder) => join(folder, 'pgbench')).find((path) => existsSync(path)) ?? null;
}

export interface Create {
  readonly venueId: string;
  readonly key: string;
  /** A body whose booking is BOOKING, for pgbench to put another there each time. */
  readonly body: string;
}

export const BOOKING = 'booking-of-pgbench';
const LOG = 'done';

export interface Bare {
  readonly rate: number;
  readonly made: number;
}

/**
 * So many creates over each of so many connections. Each connection is new, and reads the catalogue and our functions first:
 * the rate is that of the time after it, by pgbench's own log.
 */
export async function createByPgbench(
  pgbench: string,
  url: string,
  creates: readonly Create[],
  { each, clients }: { readonly each: number; readonly clients: number },
): Promise<Bare> {
  const folder = mkdtempSync(join(tmpdir(), 'everyshare-pgbench-'));
  try {
    const file = join(folder, 'create.sql');
    writeFileSync(file, scriptOf(creates));
    const args = ['--no-vacuum', '--protocol=prepared', `--client=${clients}`, `--transactions=${each}`];
    const log = ['--log', `--log-prefix=${join(folder, LOG)}`];
    const { stdout, stderr } = await promisify(execFile)(pgbench, [...args, ...log, `--file=${file}`, url]);
    const made = Number(/^number of transactions actually processed: (\d+)/m.exec(stdout)?.[1]);
    const done = doneIn(folder);
    if (made !== each * clients || done.length !== made)
      throw new Error(`pgbench: ${stdout.slice(-400)}${stderr.slice(-400)}`);
    return { made, rate: rateOf(done, each) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Done {
  /** Which of its connection's own it was, from 1. */
  readonly nth: number;
  /** In seconds. */
  readonly at: number;
}

function doneIn(folder: string): Done[] {
  const logs = readdirSync(folder).filter((name) => name.startsWith(LOG));
  return readDone(logs.map((name) => readFileSync(join(folder, name), 'utf8')).join(''));
}

/** In the order in which they were done. A line: connection, which of its own, what it took, script, when, and the microseconds of that. */
export function readDone(log: string): Done[] {
  const lines = log.trim().split('\n');
  return lines
    .map((line) => line.split(' ').map(Number))
    .map(([, nth = 0, , , seconds = 0, micros = 0]) => ({ nth, at: seconds + micros / 1e6 }))
    .sort((a, b) => a.at - b.at);
}

/** From when a third was done until the first connection had done its own. */
export function rateOf(done: readonly Done[], each: number): number {
  const first = Math.floor(done.length / 3);
  const last = done.findIndex(({ nth }) => nth === each);
  const seconds = (done[last]?.at ?? 0) - (done[first]?.at ?? 0);
  if (!(last > first && seconds > 0)) throw new Error('pgbench: one connection was done before the others had begun');
  return (last - first) / seconds;
}

function scriptOf(creates: readonly Create[]): string {
  const id = (prefix: string): string => `'${prefix}_' || lpad(:n::text, 26, '0')`;
  const one = (values: readonly string[], type: string): string =>
    `('{${values.map((value) => `"${value}"`).join(',')}}'::${type}[])[:v]`;
  const [before = '', after = ''] = (creates[0]?.body ?? '').replaceAll("'", "''").split(BOOKING);
  const hashes = creates.map(({ key }) => `\\\\x${hashOfKey(key).toString('hex')}`);
  const venues = creates.map(({ venueId }) => venueId);
  return [
    `\\set v random(1, ${creates.length})`,
    '\\set n random(1, 9000000000000000000)',
    `select * from admit(array[${one(hashes, 'bytea')}], array['write'], array[1]);`,
    `select * from create_checkout(${one(venues, 'uuid')}, 'test', ${id('chk')}, ${id('evt')}, null,`,
    `  '\\x${'00'.repeat(32)}'::bytea, ('${before}booking-' || :n::text || '${after}')::json,`,
    `  'http://127.0.0.1/c/' || ${id('chk')}, clock_timestamp(), true, interval '30 days');`,
    '',
  ].join('\n');
}
