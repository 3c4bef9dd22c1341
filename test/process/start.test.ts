// `everyshare start` as a whole: ready in seconds, stopped cleanly, killed without loss, and started again with the
// same data. Real processes, the real embedded PostgreSQL.

import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { build, isCurrent } from '../../build.js';
import { copyInitializedData, type InitializedData } from '../support/initialized-data.ts';
import { type Program, runAndInterrupt, runProgram, startProgram } from '../support/run-program.ts';
import { createTestDatabase } from '../support/test-database.ts';
import { waitFor } from '../support/wait-for.ts';

// Starts and kills the whole program.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 180_000 });

const folders: string[] = [];
const started: Program[] = [];
const newFolder = (): string => {
  const created = mkdtempSync(join(tmpdir(), 'everyshare-start-'));
  folders.push(created);
  return created;
};
const start = async (env: Record<string, string>, command = 'start'): Promise<Program> => {
  const program = await startProgram([command], env);
  started.push(program);
  return program;
};

beforeAll(async () => {
  if (!isCurrent()) await build();
});
afterAll(async () => {
  for (const { process: child } of started) if (child.exitCode === null) child.kill('SIGTERM');
  await new Promise((resolve) => setTimeout(resolve, 500));
  for (const created of folders) rmSync(created, { recursive: true, force: true });
});

const keyIn = (text: string): string => /svc_test_[A-Za-z0-9]{32}/.exec(text)?.[0] ?? '';
const statusOfMe = async (program: Program, key: string): Promise<number> =>
  (await fetch(`${program.url}/v1/me`, { headers: { authorization: `Bearer ${key}` } })).status;
const postgresProcesses = (dataDir: string): string[] =>
  execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line.includes(dataDir) && line.includes('postgres'));

/** The folder of the cluster, which postgres.json names. */
const clusterFolder = (dataDir: string): string =>
  resolve(dataDir, JSON.parse(readFileSync(join(dataDir, 'postgres.json'), 'utf8')).place);

const linkIn = (text: string): string | undefined => /(http:\/\/localhost:\d+\/console)#link=(\S+)/.exec(text)?.[2];
const signIn = ({ url }: Program, by: 'link' | 'passkey', body: object): Promise<Response> =>
  fetch(`${url}/console/api/sign_in/${by}`, {
    method: 'POST',
    headers: { origin: `http://localhost:${new URL(url).port}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

describe('everyshare start', () => {
  it('prints the keys of the sandbox venue and a link to the console on the first start only, and has all data after Ctrl-C', async () => {
    const DATA_DIR = newFolder();
    const first = await start({ DATA_DIR });
    const key = keyIn(first.out());
    expect(first.out()).toMatch(/pk_test_[A-Za-z0-9]{32}/);
    expect(first.out()).toMatch(/operator token {3}opt_/);
    expect(first.out()).toContain('no real money');
    expect(await statusOfMe(first, key)).toBe(200);
    const link = { token: linkIn(first.out()) };
    const signedIn = await signIn(first, 'link', link);
    const { venues } = (await signedIn.json()) as { venues: { name: string; role: string }[] };
    expect(venues).toMatchObject([{ name: 'Sandbox venue', role: 'owner' }]);
    expect((await signIn(first, 'link', link)).status, 'the link works once').toBe(422);
    expect((await signIn(first, 'passkey', {})).status, 'its package is loaded by this request').toBe(200);
    // The bundle is beside the program's, and is read for this request.
    const script = await fetch(`${first.url}/docs/scalar.js`);
    expect([script.status, (await script.text()).length > 1_000_000]).toEqual([200, true]);
    for (const file of ['sandbox-key', 'sandbox-venue.json'])
      expect(statSync(join(DATA_DIR, file)).mode & 0o777, file).toBe(0o600);
    expect(await first.stop('SIGINT')).toBe(0);
    expect(postgresProcesses(DATA_DIR)).toEqual([]);
    const second = await start({ DATA_DIR });
    expect([keyIn(second.out()), linkIn(second.out())]).toEqual(['', undefined]);
    expect(second.out()).toMatch(/console {4}http:\/\/localhost:\d+\/console\n/);
    expect(second.out()).not.toContain('opt_');
    expect(await statusOfMe(second, key)).toBe(200);
    expect(await second.stop('SIGTERM')).toBe(0);
    expect(postgresProcesses(DATA_DIR)).toEqual([]);
  });

  it('starts after kill -9 with all its data', async () => {
    const { DATA_DIR, secretKey: key } = await copyInitializedData(newFolder());
    const first = await start({ DATA_DIR });
    await first.stop('SIGKILL');
    const second = await start({ DATA_DIR });
    expect(await statusOfMe(second, key)).toBe(200);
    expect(await second.stop('SIGTERM')).toBe(0);
    expect(postgresProcesses(DATA_DIR)).toEqual([]);
  });

  it('finishes a request in flight before it stops', async () => {
    const { DATA_DIR, secretKey: key } = await copyInitializedData(newFolder());
    const program = await start({ DATA_DIR });
    const { hostname, port } = new URL(program.url);
    const body = JSON.stringify({ url: 'https://harbor.example/hooks', events: ['checkout.completed'] });
    const socket = connect(Number(port), hostname);
    let response = '';
    socket.on('data', (chunk) => {
      response += chunk;
    });
    const closed = new Promise((resolve) => socket.on('close', resolve));
    socket.write(
      `POST /v1/webhook_endpoints HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\ncontent-length: ${body.length}\r\nexpect: 100-continue\r\n\r\n${body.slice(0, 10)}`,
    );
    // The server has received the request.
    await expect.poll(() => response, { timeout: 30_000 }).toBe('HTTP/1.1 100 Continue\r\n\r\n');
    const exited = program.stop('SIGTERM');
    // The server has begun to stop.
    const isOpen = () =>
      fetch(`${program.url}/healthz`).then(
        ({ ok }) => ok,
        () => false,
      );
    await expect.poll(isOpen, { timeout: 30_000 }).toBe(false);
    socket.write(body.slice(10));
    await closed;
    expect(response).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 201 /);
    expect(await exited).toBe(0);
  });

  it('stops on a signal during its start, and leaves no database running', async () => {
    for (const delayMs of inject('isLong') ? [50, 150, 300, 400, 600, 800, 1100, 1500] : [150, 800]) {
      const DATA_DIR = newFolder();
      const { code, err } = await runAndInterrupt(['start'], { DATA_DIR }, delay(delayMs));
      // Null: the signal came before the program handled signals, and before it started anything.
      expect([0, null], `after ${delayMs} ms: ${err}`).toContain(code);
      expect(postgresProcesses(DATA_DIR)).toEqual([]);
    }
  });

  it('refuses options, and names the variable of a database that cannot be used', async () => {
    const options = await runProgram(['start', '--port', '9000'], { DATA_DIR: newFolder() });
    expect([options.code, options.err]).toEqual([2, expect.stringContaining('"start" takes no options')]);
    const env = {
      DATA_DIR: newFolder(),
      DATABASE_URL: 'postgres://nobody:x@127.0.0.1:1/none',
      ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    };
    const unreachable = await runProgram(['serve'], env);
    expect([unreachable.code, unreachable.err]).toEqual([
      1,
      expect.stringMatching(/^everyshare: DATABASE_URL: the database at 127\.0\.0\.1:1 cannot be used/),
    ]);
  });

  it('answers 503 with Retry-After while the database is gone, starts it again, and then answers 200', async () => {
    const { DATA_DIR, secretKey: key } = await copyInitializedData(newFolder());
    const program = await start({ DATA_DIR });
    const data = join(clusterFolder(DATA_DIR), 'data');
    const postmaster = Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0]);
    // Without its folder the database cannot be started again at once.
    renameSync(data, `${data}.away`);
    process.kill(postmaster, 'SIGKILL');
    const me = () => fetch(`${program.url}/v1/me`, { headers: { authorization: `Bearer ${key}` } });
    const response = await waitFor('the server notices', async () => {
      const answer = await me();
      return answer.status === 200 ? null : answer;
    });
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1']);
    expect(response.headers.get('x-ratelimit-limit')).toBe('600');
    expect(((await response.json()) as { error: { code: string } }).error.code).toBe('service_unavailable');
    expect((await fetch(`${program.url}/readyz`)).status).toBe(503);
    expect((await fetch(`${program.url}/healthz`)).status).toBe(200);
    await waitFor('the process tries again', () => program.err().includes('the process keeps trying'));
    renameSync(`${data}.away`, data);
    await waitFor('the server answers again', async () => (await me()).status === 200, { timeoutMs: 60_000 });
    await waitFor('the log says so', () => program.err().includes('PostgreSQL runs again'));
    expect((await runProgram(['start'], { DATA_DIR })).err, 'the lock is held again').toContain('is in use');
    expect(await program.stop('SIGTERM')).toBe(0);
    expect(postgresProcesses(DATA_DIR)).toEqual([]);
  });

  it('prints one line about a wrong variable and its remedy, and starts nothing', async () => {
    const DATA_DIR = newFolder();
    const { code, err } = await runProgram(['start'], { DATA_DIR, PORT: 'eighty' });
    expect(code).toBe(1);
    expect(err).toBe(
      'everyshare: PORT is "eighty": set it to a whole number from 0 to 65535, or leave it unset for 8080.\n',
    );
    expect(postgresProcesses(DATA_DIR)).toEqual([]);
  });
});

describe('beside a running program', () => {
  let data: InitializedData;
  let running: Program;
  beforeAll(async () => {
    data = await copyInitializedData(newFolder());
    running = await start({ DATA_DIR: data.DATA_DIR });
  });
  afterAll(async () => {
    expect(await running.stop('SIGTERM')).toBe(0);
  });

  it.each(['1', '2'])(
    'another is not started without the file of its encryption key, and makes no wrong one (PROCESSES=%s)',
    async (PROCESSES) => {
      const { DATA_DIR } = await copyInitializedData(newFolder());
      const file = join(DATA_DIR, 'encryption-key');
      rmSync(file);
      const { code, err } = await runProgram(['start'], { DATA_DIR, PROCESSES });
      expect([code, err]).toEqual([1, expect.stringContaining(`${file} is missing, and this database was written`)]);
      expect(existsSync(file)).toBe(false);
    },
  );

  it('another is not started with an empty operator token', async () => {
    const { DATA_DIR } = await copyInitializedData(newFolder());
    const file = join(DATA_DIR, 'operator-token');
    writeFileSync(file, '');
    const { code, err } = await runProgram(['start'], { DATA_DIR });
    expect([code, err]).toEqual([1, expect.stringContaining(`${file} holds less than 16 characters`)]);
  });

  it('another is refused its DATA_DIR, and does not disturb it', async () => {
    const second = await runProgram(['start'], { DATA_DIR: data.DATA_DIR });
    expect([second.code, second.err]).toEqual([1, expect.stringContaining('is in use by another everyshare')]);
    expect(await statusOfMe(running, data.secretKey)).toBe(200);
  });

  it('another reports that its port is in use, and leaves no database running', async () => {
    const { DATA_DIR } = await copyInitializedData(newFolder());
    const { code, err } = await runProgram(['start'], { DATA_DIR, PORT: new URL(running.url).port });
    expect(code).toBe(1);
    expect(err).toMatch(/everyshare: PORT \d+ is taken/);
    expect(postgresProcesses(DATA_DIR)).toEqual([]);
  });

  it('another runs with its own DATA_DIR, and does not write an operator token that the environment sets', async () => {
    const DATA_DIR = newFolder();
    const second = await start({ DATA_DIR, OPERATOR_TOKEN: 'a-token-of-my-own-choice' });
    expect(await statusOfMe(running, data.secretKey)).toBe(200);
    expect(await statusOfMe(second, keyIn(second.out()))).toBe(200);
    expect(await statusOfMe(running, keyIn(second.out()))).toBe(401);
    expect(existsSync(join(DATA_DIR, 'operator-token'))).toBe(false);
    expect(second.out()).not.toContain('operator token');
    await second.stop('SIGTERM');
  });

  it('the command line revokes a key for the very next request', async () => {
    const { DATA_DIR, secretKey } = data;
    const list = await runProgram(['key', 'list', '--json'], { DATA_DIR });
    const secret = JSON.parse(list.out).find((first: { kind: string }) => first.kind === 'secret');
    expect(await statusOfMe(running, secretKey)).toBe(200);
    await runProgram(['key', 'revoke', secret.id, '--json'], { DATA_DIR });
    expect(await statusOfMe(running, secretKey)).toBe(401);
  });
});

describe('everyshare serve and worker', () => {
  it('share one database, and refuse an ENCRYPTION_KEY that is not the database’s', async () => {
    const DATABASE_URL = await createTestDatabase('roles', 'migrated');
    const ENCRYPTION_KEY = randomBytes(32).toString('base64');
    const shared = { DATABASE_URL, ENCRYPTION_KEY };
    const programs = await Promise.all([
      start({ ...shared, DATA_DIR: newFolder() }, 'serve'),
      start({ ...shared, DATA_DIR: newFolder() }, 'serve'),
    ]);
    // Without BASE_URL a worker starts after a server, whose address it uses.
    programs.push(await start({ ...shared, DATA_DIR: newFolder() }, 'worker'));
    const created = await runProgram(['venue', 'create', '--name', 'Shared', '--json'], {
      ...shared,
      DATA_DIR: newFolder(),
    });
    const { keys } = JSON.parse(created.out);
    for (const program of programs.slice(0, 2)) expect(await statusOfMe(program, keys.secret_test)).toBe(200);
    const otherKey = await runProgram(['serve'], {
      ...shared,
      DATA_DIR: newFolder(),
      ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    });
    expect([otherKey.code, otherKey.err]).toEqual([1, expect.stringContaining('ENCRYPTION_KEY is not the key')]);
    for (const program of programs) expect(await program.stop('SIGTERM')).toBe(0);
  });

  it('are refused without Stripe’s keys where a venue is paid at Stripe, and a command has no card processor', async () => {
    const DATABASE_URL = await createTestDatabase('keyless', 'migrated');
    const env = { DATABASE_URL, ENCRYPTION_KEY: randomBytes(32).toString('base64'), DATA_DIR: newFolder(), PORT: '0' };
    const created = await runProgram(['venue', 'create', '--name', 'Paid', '--json'], env);
    const client = new pg.Client({ connectionString: DATABASE_URL });
    await client.connect();
    // As if its account had been made with Stripe's keys.
    const accountsAtStripe = () =>
      client.query(`select venue_id as id from payout_accounts where mode = 'live' and processor = 'stripe'`);
    await client.query(`update payout_accounts set processor = 'stripe' where mode = 'live'`);
    const { id } = JSON.parse(created.out);
    for (const role of ['serve', 'worker']) {
      const { code, err } = await runProgram([role], env);
      expect([code, err]).toEqual([
        1,
        expect.stringMatching(/STRIPE_LIVE_SECRET_KEY .+ 1 venue has its payout account/),
      ]);
    }
    expect((await accountsAtStripe()).rows).toEqual([{ id }]);
    await client.end();
    expect((await runProgram(['venue', 'list'], env)).code).toBe(0);
    expect((await runProgram(['ledger', 'check'], env)).code).toBe(0);
    const compared = await runProgram(['reconcile', '--days', '1'], env);
    expect([compared.code, compared.err]).toEqual([1, expect.stringContaining('card processor')]);
  });

  /** A database whose migrations are blocked, and a wait until the program is blocked there. */
  async function lockedDatabase() {
    const DATABASE_URL = await createTestDatabase('lock', 'empty');
    // Within a transaction pg_stat_activity does not change, so a second connection reads it.
    const [holder, observer] = [
      new pg.Client({ connectionString: DATABASE_URL }),
      new pg.Client({ connectionString: DATABASE_URL }),
    ];
    await Promise.all([holder.connect(), observer.connect()]);
    await holder.query(`create table migrations (version integer primary key, name text not null, checksum text not null,
        applied_at timestamptz not null default now());
      create table migration_lock (only_row boolean primary key default true check (only_row));
      insert into migration_lock default values`);
    await holder.query('begin; lock table migration_lock');
    const migrators = `from pg_stat_activity where datname = current_database() and application_name = 'everyshare-migrate' and wait_event_type = 'Lock'`;
    const waitForMigrator = () =>
      expect.poll(async () => (await observer.query(`select 1 ${migrators}`)).rowCount, { timeout: 30_000 }).toBe(1);
    const terminateMigrator = () => observer.query(`select pg_terminate_backend(pid) ${migrators}`);
    const close = () => Promise.all([holder.end(), observer.end()]);
    const env = { DATABASE_URL, ENCRYPTION_KEY: randomBytes(32).toString('base64'), DATA_DIR: newFolder(), PORT: '0' };
    return { isWaiting: waitForMigrator, cut: terminateMigrator, close, env };
  }

  it.each(['serve', 'worker'])('stop on a signal while the database is migrated: %s', async (role) => {
    const { isWaiting: waitForMigrator, close, env } = await lockedDatabase();
    const { code, err } = await runAndInterrupt([role], env, waitForMigrator());
    expect([code, err]).toEqual([0, expect.stringMatching(/"msg":"the process has stopped"}\n$/)]);
    await close();
  });

  it('report a lost database during the migration', async () => {
    const { isWaiting: waitForMigrator, cut: terminateMigrator, close, env } = await lockedDatabase();
    const result = runProgram(['worker'], env);
    await waitForMigrator();
    await terminateMigrator();
    expect(await result).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^everyshare: DATABASE_URL: the database at .* cannot be used/),
    });
    await close();
  });

  it('require DATABASE_URL', async () => {
    const { code, err } = await runProgram(['serve'], { DATA_DIR: newFolder() });
    expect([code, err]).toEqual([1, expect.stringContaining('DATABASE_URL is not set')]);
  });
});

describe('the command line', () => {
  it('works without a server too, four commands at once', async () => {
    const { DATA_DIR } = await copyInitializedData(newFolder());
    const results = await Promise.all(
      Array.from({ length: 4 }, () => runProgram(['venue', 'list', '--json'], { DATA_DIR })),
    );
    for (const { code, out, err } of results) expect([code, err, JSON.parse(out || '[]').length]).toEqual([0, '', 1]);
  });
});
