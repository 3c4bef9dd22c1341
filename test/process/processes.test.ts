// PROCESSES: one command runs several servers on one port and a worker apart. One start serves the whole story: connections
// are shared, limits hold over all of them, each says who it is, a killed one comes back, and all stop together.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { build, isCurrent } from '../../build.js';
import { type Config, readConfig } from '../../src/base/config.ts';
import { serverCount } from '../../src/main/process-group.ts';
import { copyInitializedData } from '../support/initialized-data.ts';
import { type Program, startProgram } from '../support/run-program.ts';
import { waitFor } from '../support/wait-for.ts';

// Starts the whole program with five processes.
vi.setConfig({ testTimeout: 180_000 });

const folder = mkdtempSync(join(tmpdir(), 'everyshare-processes-'));
let program: Program;
let key: string;
let metricsPort: number;
let workerPort: number;
beforeAll(async () => {
  if (!isCurrent()) await build();
  const { DATA_DIR, secretKey } = await copyInitializedData(folder);
  key = secretKey;
  metricsPort = await freePorts(3);
  workerPort = metricsPort + 2;
  const ports = { METRICS_PORT: String(metricsPort), WORKER_PORT: String(workerPort) };
  program = await startProgram(['start'], { DATA_DIR, PROCESSES: '2', ...ports });
  await waitFor('all processes are ready', () => logged('all processes are ready'), { timeoutMs: 120_000 });
}, 240_000);
afterAll(async () => {
  if (program?.process.exitCode === null) await program.stop('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

/** The first of several ports after each other on which nothing listens. */
async function freePorts(count: number): Promise<number> {
  for (let tries = 0; tries < 50; tries++) {
    const first = 20_000 + Math.floor(Math.random() * 30_000);
    const servers = Array.from({ length: count }, (_, index) => listen(first + index));
    const opened = await Promise.allSettled(servers);
    for (const server of opened) if (server.status === 'fulfilled') await server.value();
    if (opened.every(({ status }) => status === 'fulfilled')) return first;
  }
  throw new Error('no free ports were found');
}

/** Returns what closes it. */
function listen(port: number): Promise<() => Promise<void>> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(port, '127.0.0.1', () => resolve(() => new Promise((closed) => server.close(() => closed()))));
  });
}

interface LogLine {
  readonly process?: string;
  readonly pid: number;
  readonly role: string;
  readonly msg: string;
}

const logLines = (): LogLine[] =>
  program
    .err()
    .split('\n')
    .filter((line) => line.startsWith('{') && line.endsWith('}'))
    .map((line) => JSON.parse(line) as LogLine);
const logged = (message: string): boolean => logLines().some(({ msg }) => msg === message);

/** The processes that the first one has started and that run now, by the name that their log lines have. */
function running(): Map<string, number> {
  const lines = execFileSync('ps', ['-eo', 'pid,ppid'], { encoding: 'utf8' }).split('\n');
  const children = lines
    .map((line) => line.trim().split(/\s+/).map(Number))
    .filter(([, parent]) => parent === program.process.pid);
  const pids = new Set(children.map(([pid]) => pid));
  return new Map(
    logLines().flatMap(({ process: name, pid }) => (name !== undefined && pids.has(pid) ? [[name, pid]] : [])),
  );
}

/** A request on a connection of its own. */
const getMe = async (): Promise<Response> => {
  const headers = { authorization: `Bearer ${key}`, connection: 'close' };
  const response = await fetch(`${program.url}/v1/me`, { headers });
  await response.arrayBuffer();
  return response;
};

/** How many calls of GET /v1/me the server with this number has answered. */
async function callsOf(server: 1 | 2): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${metricsPort + server - 1}/metrics`);
  const lines = (await response.text())
    .split('\n')
    .filter((line) => /^everyshare_http_requests_total\{.*getMe/.test(line));
  return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}

describe('everyshare start with PROCESSES=2', () => {
  it('runs two servers and a worker in processes of their own, which log lines name', async () => {
    // Each process writes its own lines: those of a child may be read after the line of the first process.
    await expect.poll(() => [...running().keys()].sort()).toEqual(['1', '2', 'worker']);
  });

  it('hands connections to both servers, and counts their calls against one limit', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, getMe));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    const remaining = answers.map(({ headers }) => Number(headers.get('x-ratelimit-remaining')));
    expect(new Set(remaining).size).toBe(20);
    expect(Math.max(...remaining) - Math.min(...remaining)).toBe(19);
    const [first, second] = [await callsOf(1), await callsOf(2)];
    expect(first + second).toBe(20);
    expect(Math.min(first, second)).toBeGreaterThan(0);
  });

  it('has the series of each server and of the worker at a port of its own, and none at the shared one', async () => {
    const ready = await fetch(`http://127.0.0.1:${workerPort}/readyz`);
    const worker = await fetch(`http://127.0.0.1:${workerPort}/metrics`);
    expect([ready.status, (await worker.text()).includes('everyshare_loop_')]).toEqual([200, true]);
    expect((await fetch(`${program.url}/metrics`)).status).toBe(404);
  });

  it('starts a process again that was killed, while the others answer', async () => {
    for (const name of ['2', 'worker']) {
      const pid = running().get(name) as number;
      process.kill(pid, 'SIGKILL');
      const newPid = (): number | null => [running().get(name) ?? pid].find((found) => found !== pid) ?? null;
      await waitFor(`process ${name} runs again`, newPid, { timeoutMs: 120_000, intervalMs: 100 });
    }
    expect(logged('a process ended by itself; it is started again')).toBe(true);
    expect((await getMe()).status).toBe(200);
    expect([...running().keys()].sort()).toEqual(['1', '2', 'worker']);
  });

  it('stops all of them, and the database, with the first', async () => {
    const pids = [...running().values()];
    expect(await program.stop('SIGTERM')).toBe(0);
    const isRunning = (pid: number): boolean => {
      try {
        return process.kill(pid, 0);
      } catch {
        return false;
      }
    };
    expect(pids.filter(isRunning)).toEqual([]);
    const others = execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' }).split('\n');
    expect(others.filter((line) => line.includes(folder))).toEqual([]);
  });
});

describe('the number of servers', () => {
  const config = (env: Record<string, string>): Config => readConfig(env);
  const other = { DATABASE_URL: 'postgres://127.0.0.1/x', ENCRYPTION_KEY: Buffer.alloc(32).toString('base64') };

  it('is one unless PROCESSES is set, and with auto that of the cores, as far as the embedded PostgreSQL has connections', () => {
    expect(serverCount(config({}), 8)).toBe(1);
    expect(serverCount(config({ PROCESSES: 'auto' }), 8)).toBe(8);
    expect(serverCount(config({ PROCESSES: 'auto' }), 64)).toBe(11);
    expect(serverCount(config({ PROCESSES: 'auto', ...other }), 64)).toBe(64);
    expect(serverCount(config({ PROCESSES: '3' }), 64)).toBe(3);
  });

  it('is refused with a remedy where it is no number, or more than the embedded PostgreSQL has connections for', () => {
    for (const PROCESSES of ['0', 'many', '65', '-1'])
      expect(() => serverCount(config({ PROCESSES }), 8)).toThrow(/PROCESSES is ".+": set it to auto/);
    expect(() => serverCount(config({ PROCESSES: '12' }), 8)).toThrow(/has connections for 11/);
  });
});
