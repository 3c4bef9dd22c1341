// `npm run upgrade`: the release before (migrations/releases.txt) runs under load, and this program replaces it process by
// process on the same database. Each request must get its expected answer, each checkout must complete, an old server that
// restarts beside new ones must change no function, the books must agree, and no process may log an error.

import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { findCluster } from '../../sandbox/postgres/cluster.ts';
import { startEmbeddedPostgres } from '../../sandbox/postgres/embedded.ts';
import { packageRoot, packageVersion } from '../../src/base/package-root.ts';
import { startHttpsReceiver } from '../support/test-receivers.ts';
import { waitFor } from '../support/wait-for.ts';
import { Fleet, type Running } from './fleet.ts';
import { type Load, startLoad } from './load.ts';
import { buildPreviousRelease, type PreviousRelease } from './previous-release.ts';

const run = promisify(execFile);
const CLIENTS = 2;
/** Load before, between and after the replacements. */
const STEP_MS = 4_000;
const SETTLE_MS = 180_000;

const say = (line: string): void => void process.stdout.write(`upgrade: ${line}\n`);

interface Setting {
  readonly env: Readonly<Record<string, string>>;
  readonly previous: PreviousRelease;
  readonly query: (sql: string) => Promise<Record<string, unknown>[]>;
}

async function command(program: string, env: Setting['env'], ...words: string[]): Promise<Record<string, unknown>> {
  const { PATH = '', HOME = '' } = process.env;
  const argv = [join(program, 'bin', 'everyshare.js'), ...words, '--json'];
  const { stdout } = await run(process.execPath, argv, { env: { PATH, HOME, ...env }, maxBuffer: 16_000_000 });
  return JSON.parse(stdout) as Record<string, unknown>;
}

const FUNCTIONS =
  "select proname, md5(prosrc) as body from pg_proc where pronamespace = 'public'::regnamespace order by 1, 2";

/** Replaces the release before, process by process, under load. */
async function rollForward({ env, previous, query }: Setting, fleet: Fleet, old: Running[]): Promise<Running[]> {
  const report = (await command(packageRoot, env, 'doctor', '--before-upgrade')) as {
    readonly checks: { readonly name: string; readonly detail: string }[];
  };
  for (const { name, detail } of report.checks) say(`  before the upgrade, ${name}: ${detail.slice(0, 200)}`);
  const [api1, api2, worker1, worker2] = old;
  const replace = async (one: Running | undefined, name: string, role: 'serve' | 'worker'): Promise<Running> => {
    const started = await fleet.start(name, packageRoot, role);
    await one?.stop();
    say(`${name} of ${packageVersion()} replaced ${one?.name} of ${previous.version}`);
    await delay(STEP_MS);
    return started;
  };
  const first = await replace(api1, 'new-api-1', 'serve');
  const functions = await query(FUNCTIONS);
  await api2?.stop();
  const again = await fleet.start('old-api-2-again', previous.folder, 'serve');
  if (JSON.stringify(await query(FUNCTIONS)) !== JSON.stringify(functions))
    throw new Error('a server of the release before that started again changed functions of this release');
  say(`a server of ${previous.version} started again beside the new one and changed no function`);
  await delay(STEP_MS);
  return [
    first,
    await replace(worker1, 'new-worker-1', 'worker'),
    await replace(again, 'new-api-2', 'serve'),
    await replace(worker2, 'new-worker-2', 'worker'),
  ];
}

async function check({ env, query }: Setting, fleet: Fleet, { figures }: Load, received: ReadonlySet<string>) {
  const problems = [...figures.failures, ...fleet.failures];
  await waitFor(
    'every checkout completes and every event is delivered',
    async () => {
      const [row] = await query(
        `select (select count(*) from checkouts where status <> 'completed')
           + (select count(*) from undispatched_events) + (select count(*) from deliveries where due_at is not null) as left`,
      );
      return Number(row?.left) === 0;
    },
    { timeoutMs: SETTLE_MS, intervalMs: 500 },
  ).catch((error: unknown) => problems.push(String(error)));
  const missing = figures.created.filter((id) => !received.has(id));
  if (missing.length > 0)
    problems.push(`${missing.length} checkouts completed without an event, such as ${missing[0]}`);
  const ledger = await command(packageRoot, env, 'ledger', 'check');
  if (ledger.ok !== true) problems.push(`ledger check: ${JSON.stringify(ledger)}`);
  const doctor = await command(packageRoot, env, 'doctor').catch((error: unknown) => ({
    ok: false,
    error: String(error),
  }));
  if (doctor.ok !== true) problems.push(`doctor: ${JSON.stringify(doctor)}`);
  problems.push(...fleet.errorLines().map((line) => `log: ${line.slice(0, 400)}`));
  return problems;
}

async function openSetting(scratch: string, url: string): Promise<Setting> {
  const started = Date.now();
  const previous = await buildPreviousRelease(scratch);
  say(
    `built ${previous.version} from ${previous.commit.slice(0, 8)} in ${Math.round((Date.now() - started) / 1000)} s`,
  );
  await run(process.execPath, ['build.js'], { cwd: packageRoot, maxBuffer: 16_000_000 });
  const env = {
    DATABASE_URL: url,
    DATA_DIR: join(scratch, 'data'),
    ENCRYPTION_KEY: createHash('sha256').update('upgrade').digest('base64'),
    OPERATOR_TOKEN: 'opt_of_the_upgrade_test_0000000000000000',
    BASE_URL: 'https://api.upgrade.example',
    ALLOW_INSECURE_TARGETS: '1',
    LOG_LEVEL: 'info',
  };
  const query: Setting['query'] = async (sql) => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    return (await client.query<Record<string, unknown>>(sql).finally(() => client.end())).rows;
  };
  return { env, previous, query };
}

async function upgrade(setting: Setting, fleet: Fleet): Promise<string[]> {
  const { env, previous } = setting;
  const old = [
    await fleet.start('old-api-1', previous.folder, 'serve'),
    await fleet.start('old-api-2', previous.folder, 'serve'),
    await fleet.start('old-worker-1', previous.folder, 'worker'),
    await fleet.start('old-worker-2', previous.folder, 'worker'),
  ];
  const received = new Set<string>();
  const receiver = await startHttpsReceiver((_request, response, body) => {
    const { data } = JSON.parse(body) as { readonly data: { readonly object: { readonly id: string } } };
    received.add(data.object.id);
    response.end();
  });
  const venue = await command(
    previous.folder,
    env,
    'venue',
    'create',
    '--name',
    'Harbor Club',
    '--origin',
    'https://harbor.example',
  );
  const limits = ['--writes-per-hour', '1000000', '--reads-per-hour', '1000000'];
  const options = ['--venue', String(venue.id), '--kind', 'secret', '--mode', 'test', ...limits];
  const { key } = await command(previous.folder, env, 'key', 'create', ...options);
  const endpoint = await fetch(`${fleet.rotation[0]}/v1/webhook_endpoints`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ url: `https://127.0.0.1:${receiver.port}/events`, events: ['checkout.completed'] }),
  });
  if (endpoint.status !== 201) throw new Error(`the endpoint was refused: ${await endpoint.text()}`);
  const load = startLoad(fleet, String(key), CLIENTS);
  let now: Running[] = [];
  try {
    await delay(STEP_MS);
    now = await rollForward(setting, fleet, old);
  } finally {
    await load.stop();
  }
  const problems = await check(setting, fleet, load, received);
  for (const each of now) await each.stop();
  await receiver.close();
  say(
    `${load.figures.requests} requests, ${load.figures.created.length} checkouts, ${load.figures.failures.length} failures, ${fleet.slowStarts.length} starts repeated`,
  );
  for (const start of fleet.slowStarts) say(`  repeated, because a connection took too long: ${start.slice(0, 300)}`);
  return problems;
}

async function main(): Promise<void> {
  const scratch = mkdtempSync(join(tmpdir(), 'everyshare-upgrade-'));
  chmodSync(scratch, 0o711); // As root, PostgreSQL runs as another user, which must be able to enter the folder.
  mkdirSync(join(scratch, 'logs'));
  const postgres = await startEmbeddedPostgres({ dataDir: join(scratch, 'postgres') });
  let fleet: Fleet | null = null;
  let problems: string[] = [];
  try {
    const setting = await openSetting(scratch, postgres.url);
    fleet = new Fleet(join(scratch, 'logs'), setting.env);
    problems = await upgrade(setting, fleet);
  } finally {
    fleet?.killAll();
    await postgres.stop();
    const cluster = await findCluster(join(scratch, 'postgres')).catch(() => null);
    if (cluster !== null) rmSync(cluster.folder, { recursive: true, force: true });
    rmSync(scratch, { recursive: true, force: true });
  }
  for (const problem of problems.slice(0, 40)) say(`PROBLEM: ${problem}`);
  say(problems.length === 0 ? 'every server was replaced without an error' : `${problems.length} problems`);
  process.exitCode = problems.length === 0 ? 0 : 1;
}

await main();
