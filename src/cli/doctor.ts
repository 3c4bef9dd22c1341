// Looks this installation over: each check says what it found and, where something is wrong or could be better, what to do about
// it. Only what is wrong is a problem that it ends with 1 for.

import { isIP } from 'node:net';
import { join } from 'node:path';
import { addressIn, type Mode } from '../base/config.ts';
import { isUnavailable } from '../base/db.ts';
import { readMigrations } from '../base/migrate.ts';
import { packageRoot } from '../base/package-root.ts';
import { countVenuesWithoutHours } from '../domain/analytics/queries.ts';
import { proveEncryptionKey } from '../domain/installation/key-proof.ts';
import type { AppContext } from '../run/context.ts';
import { lineFor } from './cli-error.ts';
import type { Answer, Command, Open } from './shape.ts';
import { block } from './table.ts';

interface Check {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
  readonly remedy: string | null;
}

const LEAST_NODE = [20, 19] as const;
const LEAST_POSTGRES = 15;
const MOST_CLOCK_MS = 5_000;

function fine(name: string, detail: string): Check {
  return { name, ok: true, detail, remedy: null };
}

/** All is right, and something would do it good. */
function notice(name: string, detail: string, remedy: string): Check {
  return { name, ok: true, detail, remedy };
}

function wrong(name: string, detail: string, remedy: string): Check {
  return { name, ok: false, detail, remedy };
}

export function checkNode(version: string): Check {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const enough = major > LEAST_NODE[0] || (major === LEAST_NODE[0] && minor >= LEAST_NODE[1]);
  return enough ? fine('node', version) : wrong('node', version, `install Node.js ${LEAST_NODE.join('.')} or newer.`);
}

async function checkDatabase({ db, config }: AppContext): Promise<Check> {
  const [row] = await db.query<{ version: string; number: number }>(
    "select current_setting('server_version') as version, current_setting('server_version_num')::integer as number",
  );
  const detail = `PostgreSQL ${row?.version ?? 'unknown'}, ${config.databaseUrl === null ? 'embedded' : 'from DATABASE_URL'}`;
  if ((row?.number ?? 0) >= LEAST_POSTGRES * 10_000) return fine('database', detail);
  return wrong('database', detail, `move to PostgreSQL ${LEAST_POSTGRES} or newer.`);
}

async function checkMigrations({ db }: AppContext): Promise<Check> {
  const files = readMigrations(join(packageRoot, 'migrations')).length;
  const [row] = await db.query<{ count: number }>('select count(*) as count from migrations');
  const applied = row?.count ?? 0;
  const detail = `${applied} of ${files} applied`;
  if (applied === files) return fine('migrations', detail);
  const remedy =
    applied > files
      ? 'the database is ahead of this program: run the newer release.'
      : 'start a server of this release: it applies them.';
  return wrong('migrations', detail, remedy);
}

async function checkEncryptionKey({ db, seal, config, clock }: AppContext): Promise<Check> {
  await proveEncryptionKey(db, seal, clock.now());
  const where =
    config.encryptionKey === null ? `the one in ${join(config.dataDir, 'encryption-key')}` : 'ENCRYPTION_KEY';
  return fine('encryption_key', `${where} is the key that this database was written with`);
}

async function checkClock({ db, clock }: AppContext): Promise<Check> {
  const before = clock.now();
  const [row] = await db.query<{ ms: number }>('select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms');
  const after = clock.now();
  // The answer was given at some moment in between: only what lies outside of it is a difference.
  const there = row?.ms ?? Number.NaN;
  const apart = Math.max(before - there, there - after, 0);
  const detail = `${(apart / 1000).toFixed(1)} s between this machine and the database`;
  if (apart < MOST_CLOCK_MS) return fine('clock', detail);
  return wrong('clock', detail, 'set both clocks by NTP: times of payment are compared with them.');
}

function checkProcessor({ config }: AppContext): Check {
  if (config.sandboxProcessor) return fine('processor', 'the sandbox serves test and live: no real money moves');
  const has = (mode: Mode): string =>
    config.modes.includes(mode) ? `${mode} has Stripe` : `${mode} has none (its keys get mode_not_available)`;
  return fine('processor', `${has('test')}, ${has('live')}`);
}

function checkTexts({ config }: AppContext): Check {
  const { twilio, sandboxTexts } = config;
  if (twilio !== null) {
    const from = 'number' in twilio.from ? 'a number of ours' : 'a messaging service';
    return fine('texts', `Twilio sends them from ${from}; STOP is heard at /texts/twilio`);
  }
  if (sandboxTexts) return fine('texts', 'kept to be read at /sandbox/outbox: nobody is sent anything');
  const remedy = 'set TWILIO_ACCOUNT_SID, TWILIO_AUTH_TOKEN and TWILIO_FROM: guests cannot sign in without a code.';
  return wrong('texts', 'nobody sends them, while live mode has Stripe', remedy);
}

function isLoopback(host: string): boolean {
  return isIP(host) === 0 ? host === 'localhost' : addressIn(host, ['127.0.0.0/8', '::1']);
}

function checkBaseUrl({ config }: AppContext): Check {
  if (config.baseUrl !== null) return fine('base_url', config.baseUrl);
  if (isLoopback(config.host)) return fine('base_url', `not set, and not needed while HOST is ${config.host}`);
  return wrong(
    'base_url',
    `not set, while HOST is ${config.host}`,
    'set BASE_URL to the address that others reach this server at.',
  );
}

async function checkAnalytics({ db }: AppContext): Promise<Check> {
  const venues = await countVenuesWithoutHours(db);
  if (venues === 0) return fine('analytics', 'every venue is counted by the hour');
  const detail = `${venues} ${venues === 1 ? 'venue is' : 'venues are'} counted by the day only: right, but slow inside a busy day`;
  return notice('analytics', detail, 'run "everyshare analytics rebuild" once, beside running servers if you like.');
}

/** A check that fails in an unforeseen way is a problem too, not the end of the others. */
async function made(name: string, check: Promise<Check>): Promise<Check> {
  try {
    return await check;
  } catch (error) {
    return failed(name, error);
  }
}

function failed(name: string, error: unknown): Check {
  const remedy = isUnavailable(error)
    ? 'check DATABASE_URL and that PostgreSQL is running.'
    : 'do what the detail says, then run "everyshare doctor" again.';
  return wrong(name, lineFor(error, []), remedy);
}

async function checksOf(open: Open): Promise<Check[]> {
  const node = checkNode(process.versions.node);
  let context: AppContext;
  try {
    ({ context } = await open());
  } catch (error) {
    return [node, failed('database', error)];
  }
  return [
    node,
    await made('database', checkDatabase(context)),
    await made('migrations', checkMigrations(context)),
    await made('encryption_key', checkEncryptionKey(context)),
    await made('clock', checkClock(context)),
    checkProcessor(context),
    checkTexts(context),
    checkBaseUrl(context),
    await made('analytics', checkAnalytics(context)),
  ];
}

function wordFor(ok: boolean, remedy: string | null): string {
  if (!ok) return 'PROBLEM';
  return remedy === null ? 'ok' : 'notice';
}

function report(checks: readonly Check[]): Answer {
  const problems = checks.filter((check) => !check.ok);
  const rows = checks.flatMap(({ name, ok, detail, remedy }) => {
    const row: [string, string, string][] = [[wordFor(ok, remedy), name, detail]];
    return remedy === null ? row : [...row, ['', '', `remedy: ${remedy}`] as [string, string, string]];
  });
  const answer = { json: { ok: problems.length === 0, checks }, text: block(rows) };
  if (problems.length === 0) return answer;
  return {
    ...answer,
    fault: `doctor found a problem with ${problems.map((check) => check.name).join(', ')}: follow the remedy beside it.`,
  };
}

const doctor: Command = {
  words: ['doctor'],
  arguments: [],
  help: 'check this installation and say what to do about what is wrong',
  options: [],
  run: async (_given, open) => report(await checksOf(open)),
};

export const doctorCommands: readonly Command[] = [doctor];
