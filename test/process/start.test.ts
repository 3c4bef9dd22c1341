// `everyshare start` as a whole: ready in seconds, stopped cleanly, killed without loss, started again as if nothing
// had been. Real processes, the real embedded PostgreSQL.

import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { build, isCurrent } from '../../build.js';
import { startEmbeddedPostgres } from '../../sandbox/postgres/embedded.ts';
import { createDatabase } from '../support/create-database.ts';
import { type Program, runAndInterrupt, runProgram, startProgram } from '../support/run-program.ts';

const folders: string[] = [];
const started: Program[] = [];
const folder = (): string => {
  const made = mkdtempSync(join(tmpdir(), 'everyshare-start-'));
  folders.push(made);
  return made;
};
const start = async (env: Record<string, string>, word = 'start'): Promise<Program> => {
  const program = await startProgram([word], env);
  started.push(program);
  return program;
};

beforeAll(async () => {
  if (!isCurrent()) await build();
});
afterAll(async () => {
  for (const { process: child } of started) if (child.exitCode === null) child.kill('SIGTERM');
  await new Promise((resolve) => setTimeout(resolve, 500));
  for (const made of folders) rmSync(made, { recursive: true, force: true });
});

const keyIn = (text: string): string => /svc_test_[A-Za-z0-9]{32}/.exec(text)?.[0] ?? '';
const me = async (program: Program, key: string): Promise<number> =>
  (await fetch(`${program.url}/v1/me`, { headers: { authorization: `Bearer ${key}` } })).status;
const postgresOf = (dataDir: string): string[] =>
  execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line.includes(dataDir) && line.includes('postgres'));

/** Where the cluster of a data directory lives: beside it, or where postgres.json says. */
const clusterOf = (dataDir: string): string =>
  resolve(dataDir, JSON.parse(readFileSync(join(dataDir, 'postgres.json'), 'utf8')).place);

describe('everyshare start', () => {
  it('shows a sandbox venue’s keys the first time alone, and finds everything again after Ctrl-C', async () => {
    const DATA_DIR = folder();
    const first = await start({ DATA_DIR });
    const key = keyIn(first.out());
    expect(first.out()).toMatch(/pk_test_[A-Za-z0-9]{32}/);
    expect(first.out()).toMatch(/operator token {3}opt_/);
    expect(first.out()).toContain('no real money');
    expect(await me(first, key)).toBe(200);
    // Its bundle lies beside the program's, and is read with this request.
    const script = await fetch(`${first.url}/docs/scalar.js`);
    expect([script.status, (await script.text()).length > 1_000_000]).toEqual([200, true]);
    expect(statSync(join(DATA_DIR, 'sandbox-key')).mode & 0o777).toBe(0o600);
    expect(await first.stop('SIGINT')).toBe(0);
    expect(postgresOf(DATA_DIR)).toEqual([]);
    const second = await start({ DATA_DIR });
    expect(keyIn(second.out())).toBe('');
    expect(second.out()).not.toContain('opt_');
    expect(await me(second, key)).toBe(200);
    expect(await second.stop('SIGTERM')).toBe(0);
    expect(postgresOf(DATA_DIR)).toEqual([]);
  });

  it('just works after kill -9, with all that was there', async () => {
    const DATA_DIR = folder();
    const first = await start({ DATA_DIR });
    const key = keyIn(first.out());
    await first.stop('SIGKILL');
    const second = await start({ DATA_DIR });
    expect(await me(second, key)).toBe(200);
    expect(await second.stop('SIGTERM')).toBe(0);
    expect(postgresOf(DATA_DIR)).toEqual([]);
  });

  it('lets a request in flight finish when it is told to stop', async () => {
    const program = await start({ DATA_DIR: folder() });
    const key = keyIn(program.out());
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
    // So it has come in.
    await expect.poll(() => response, { timeout: 30_000 }).toBe('HTTP/1.1 100 Continue\r\n\r\n');
    const ended = program.stop('SIGTERM');
    // So it has begun to stop.
    const isOpen = () =>
      fetch(`${program.url}/healthz`).then(
        ({ ok }) => ok,
        () => false,
      );
    await expect.poll(isOpen, { timeout: 30_000 }).toBe(false);
    socket.write(body.slice(10));
    await closed;
    expect(response).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 201 /);
    expect(await ended).toBe(0);
  });

  it('obeys a signal in the middle of its start, and leaves no database running', async () => {
    for (const after of [150, 400, 800, 1100]) {
      const DATA_DIR = folder();
      const { code } = await runAndInterrupt(['start'], { DATA_DIR }, delay(after));
      // Null: it had not yet got as far as listening to signals, nor to starting anything.
      expect([after, [0, null].includes(code)]).toEqual([after, true]);
      expect(postgresOf(DATA_DIR)).toEqual([]);
    }
  });

  it('says that it takes no options, and when the named database cannot be used, which variable to look at', async () => {
    const options = await runProgram(['start', '--port', '9000'], { DATA_DIR: folder() });
    expect([options.code, options.err]).toEqual([2, expect.stringContaining('"start" takes no options')]);
    const env = {
      DATA_DIR: folder(),
      DATABASE_URL: 'postgres://nobody:x@127.0.0.1:1/none',
      ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    };
    const gone = await runProgram(['serve'], env);
    expect([gone.code, gone.err]).toEqual([
      1,
      expect.stringMatching(/^everyshare: DATABASE_URL: the database at 127\.0\.0\.1:1 cannot be used/),
    ]);
  });

  it('keeps a token that was set out of its folder', async () => {
    const DATA_DIR = folder();
    const program = await start({ DATA_DIR, OPERATOR_TOKEN: 'a-token-of-my-own-choice' });
    expect(existsSync(join(DATA_DIR, 'operator-token'))).toBe(false);
    expect(program.out()).not.toContain('operator token');
    await program.stop('SIGTERM');
  });

  it('answers 503 with Retry-After while the database is gone, and 200 again when it is back', async () => {
    const DATA_DIR = folder();
    const program = await start({ DATA_DIR });
    const key = keyIn(program.out());
    const postmaster = Number(readFileSync(join(clusterOf(DATA_DIR), 'data', 'postmaster.pid'), 'utf8').split('\n')[0]);
    process.kill(postmaster, 'SIGKILL');
    let response = await fetch(`${program.url}/v1/me`, { headers: { authorization: `Bearer ${key}` } });
    for (let i = 0; i < 400 && response.status === 200; i++) {
      await new Promise((resolve) => setTimeout(resolve, 20));
      response = await fetch(`${program.url}/v1/me`, { headers: { authorization: `Bearer ${key}` } });
    }
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1']);
    expect(response.headers.get('x-ratelimit-limit')).toBe('600');
    expect(((await response.json()) as { error: { code: string } }).error.code).toBe('service_unavailable');
    expect((await fetch(`${program.url}/readyz`)).status).toBe(503);
    expect((await fetch(`${program.url}/healthz`)).status).toBe(200);
    const again = await startEmbeddedPostgres({ dataDir: DATA_DIR });
    for (let i = 0; i < 150 && (await me(program, key)) !== 200; i++)
      await new Promise((resolve) => setTimeout(resolve, 100));
    expect(await me(program, key)).toBe(200);
    await program.stop('SIGTERM');
    await again.stop();
  });

  it('refuses a DATA_DIR that is in use, without disturbing whoever uses it', async () => {
    const DATA_DIR = folder();
    const first = await start({ DATA_DIR });
    const second = await runProgram(['start'], { DATA_DIR });
    expect([second.code, second.err]).toEqual([1, expect.stringContaining('is in use by another everyshare')]);
    expect(await me(first, keyIn(first.out()))).toBe(200);
    expect(await first.stop('SIGTERM')).toBe(0);
  });

  it('runs beside another one with its own DATA_DIR', async () => {
    const [one, two] = await Promise.all([start({ DATA_DIR: folder() }), start({ DATA_DIR: folder() })]);
    expect(await me(one, keyIn(one.out()))).toBe(200);
    expect(await me(two, keyIn(two.out()))).toBe(200);
    expect(await me(one, keyIn(two.out()))).toBe(401);
    await Promise.all([one.stop('SIGTERM'), two.stop('SIGTERM')]);
  });

  it('says in one line which variable is wrong and what to do, and starts nothing', async () => {
    const DATA_DIR = folder();
    const { code, err } = await runProgram(['start'], { DATA_DIR, PORT: 'eighty' });
    expect(code).toBe(1);
    expect(err).toBe(
      'everyshare: PORT is "eighty": set it to a whole number from 0 to 65535, or leave it unset for 8080.\n',
    );
    expect(postgresOf(DATA_DIR)).toEqual([]);
  });

  it('says so when its port is taken, and leaves no database running', async () => {
    const one = await start({ DATA_DIR: folder() });
    const DATA_DIR = folder();
    const { code, err } = await runProgram(['start'], { DATA_DIR, PORT: new URL(one.url).port });
    expect(code).toBe(1);
    expect(err).toMatch(/everyshare: PORT \d+ is taken/);
    expect(postgresOf(DATA_DIR)).toEqual([]);
    await one.stop('SIGTERM');
  });
});

describe('everyshare serve and worker', () => {
  it('share one database, and refuse an ENCRYPTION_KEY that is not its own', async () => {
    const DATABASE_URL = await createDatabase(inject('postgresUrl'), `roles_${randomBytes(5).toString('hex')}`, null);
    const ENCRYPTION_KEY = randomBytes(32).toString('base64');
    const shared = { DATABASE_URL, ENCRYPTION_KEY };
    const programs = await Promise.all([
      start({ ...shared, DATA_DIR: folder() }, 'serve'),
      start({ ...shared, DATA_DIR: folder() }, 'serve'),
      start({ ...shared, DATA_DIR: folder() }, 'worker'),
    ]);
    const made = await runProgram(['venue', 'create', '--name', 'Shared', '--json'], { ...shared, DATA_DIR: folder() });
    const { keys } = JSON.parse(made.out);
    for (const program of programs.slice(0, 2)) expect(await me(program, keys.secret_test)).toBe(200);
    const wrong = await runProgram(['serve'], {
      ...shared,
      DATA_DIR: folder(),
      ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    });
    expect([wrong.code, wrong.err]).toEqual([1, expect.stringContaining('ENCRYPTION_KEY is not the key')]);
    for (const program of programs) expect(await program.stop('SIGTERM')).toBe(0);
  });

  /** A database whose migrations wait for us, and what to await until this program is among them. */
  async function lockedDatabase() {
    const DATABASE_URL = await createDatabase(inject('postgresUrl'), `lock_${randomBytes(5).toString('hex')}`, null);
    // Within a transaction pg_stat_activity stays as it was first seen: another one looks.
    const [holder, watch] = [
      new pg.Client({ connectionString: DATABASE_URL }),
      new pg.Client({ connectionString: DATABASE_URL }),
    ];
    await Promise.all([holder.connect(), watch.connect()]);
    await holder.query(`create table migrations (version integer primary key, name text not null, checksum text not null,
        applied_at timestamptz not null default now());
      create table migration_lock (only_row boolean primary key default true check (only_row));
      insert into migration_lock default values`);
    await holder.query('begin; lock table migration_lock');
    const waiting = `from pg_stat_activity where datname = current_database() and application_name = 'everyshare-migrate' and wait_event_type = 'Lock'`;
    const isWaiting = () =>
      expect.poll(async () => (await watch.query(`select 1 ${waiting}`)).rowCount, { timeout: 30_000 }).toBe(1);
    const cut = () => watch.query(`select pg_terminate_backend(pid) ${waiting}`);
    const close = () => Promise.all([holder.end(), watch.end()]);
    const env = { DATABASE_URL, ENCRYPTION_KEY: randomBytes(32).toString('base64'), DATA_DIR: folder(), PORT: '0' };
    return { isWaiting, cut, close, env };
  }

  it.each(['serve', 'worker'])('obey a signal while the database is migrated: %s', async (role) => {
    const { isWaiting, close, env } = await lockedDatabase();
    const { code, err } = await runAndInterrupt([role], env, isWaiting());
    expect([code, err]).toEqual([0, expect.stringMatching(/"msg":"stopped"}\n$/)]);
    await close();
  });

  it('say so when the database goes away while it is migrated', async () => {
    const { isWaiting, cut, close, env } = await lockedDatabase();
    const ending = runProgram(['worker'], env);
    await isWaiting();
    await cut();
    expect(await ending).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^everyshare: DATABASE_URL: the database at .* cannot be used/),
    });
    await close();
  });

  it('ask for DATABASE_URL', async () => {
    const { code, err } = await runProgram(['serve'], { DATA_DIR: folder() });
    expect([code, err]).toEqual([1, expect.stringContaining('DATABASE_URL is not set')]);
  });
});

describe('the command line beside a running server', () => {
  it('revokes a key for the very next request', async () => {
    const DATA_DIR = folder();
    const program = await start({ DATA_DIR });
    const key = keyIn(program.out());
    const list = await runProgram(['key', 'list', '--json'], { DATA_DIR });
    const secret = JSON.parse(list.out).find((one: { kind: string }) => one.kind === 'secret');
    expect(await me(program, key)).toBe(200);
    await runProgram(['key', 'revoke', secret.id, '--json'], { DATA_DIR });
    expect(await me(program, key)).toBe(401);
    await program.stop('SIGTERM');
  });

  it('works without a server too, four commands at once', async () => {
    const DATA_DIR = folder();
    await runProgram(['venue', 'create', '--name', 'Alone', '--json'], { DATA_DIR });
    const all = await Promise.all(
      Array.from({ length: 4 }, () => runProgram(['venue', 'list', '--json'], { DATA_DIR })),
    );
    for (const { code, out, err } of all) expect([code, err, JSON.parse(out || '[]').length]).toEqual([0, '', 1]);
  });
});
