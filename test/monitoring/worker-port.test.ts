// The address at which a worker is monitored: up, ready, metrics.

import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { systemClock } from '../../src/base/clock.ts';
import { ConfigError, readConfig } from '../../src/base/config.ts';
import { openDb } from '../../src/base/db.ts';
import { packageRoot } from '../../src/base/package-root.ts';
import { Shutdown } from '../../src/base/shutdown.ts';
import { makeMonitoring } from '../../src/main/monitoring.ts';
import { makeReadiness, runWorker } from '../../src/main/run-worker.ts';
import type { WorkerServices } from '../../src/worker/loop.ts';
import { type RunningWorker, runLoops } from '../../src/worker/worker.ts';
import { openTestWorld, type TestWorld } from '../support/test-world.ts';
import { waitFor } from '../support/wait-for.ts';

let world: TestWorld;
let shutdown: Shutdown;
let url: string;

beforeAll(async () => {
  world = await openTestWorld({ env: { WORKER_PORT: '0' } });
  shutdown = new Shutdown(world.context.log);
  const port = await runWorker(world.context, makeMonitoring(systemClock), world.context.log, shutdown);
  url = `http://127.0.0.1:${port}`;
});
afterAll(async () => {
  await shutdown.run();
  await world.close();
});

const get = async (path: string, headers: Record<string, string> = {}): Promise<[number, string]> => {
  const response = await fetch(`${url}${path}`, { headers });
  return [response.status, await response.text()];
};

describe('WORKER_PORT', () => {
  it('serves /healthz, /readyz and /metrics of a worker, and nothing else', async () => {
    expect(await get('/healthz')).toEqual([200, '{"status":"ok"}']);
    expect(await get('/readyz')).toEqual([200, '{"status":"ready"}']);
    await waitFor('the loop has run', async () =>
      /^everyshare_loop_attempts_total\{loop="settle-holds"\} [1-9]/m.test((await get('/metrics'))[1]),
    );
    for (const path of ['/', '/v1/me', '/console']) expect((await get(path))[0]).toBe(404);
    expect((await fetch(`${url}/readyz`, { method: 'POST' })).status).toBe(404);
  });

  it('shows the metrics to callers of private networks alone, or with the operator’s token', async () => {
    expect((await get('/metrics', { via: '1.1 proxy' }))[0]).toBe(404);
    const headers = { via: '1.1 proxy', authorization: `Bearer ${world.operatorToken}` };
    expect((await get('/metrics', headers))[0]).toBe(200);
  });

  it('is not ready while the database lacks a migration, and stays healthy', async () => {
    const [newest] = await world.db.query<{ version: number }>('select max(version) as version from migrations');
    const move = (to: number, from: number) =>
      world.db.query('update migrations set version = $1 where version = $2', [to, from]);
    await move(-1, newest?.version ?? 0);
    const [status, text] = await get('/readyz');
    expect([status, text]).toEqual([503, expect.stringContaining('The database is not of this release')]);
    expect(await get('/healthz')).toEqual([200, '{"status":"ok"}']);
    await move(newest?.version ?? 0, -1);
    expect((await get('/readyz'))[0]).toBe(200);
  });

  it('is off unless it is set', async () => {
    const config = readConfig({});
    expect(config.workerPort).toBeNull();
    const own = new Shutdown(world.context.log);
    expect(
      await runWorker({ ...world.context, config }, makeMonitoring(systemClock), world.context.log, own),
    ).toBeNull();
    await own.run();
  });

  it('that is taken is an error that names the setting', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await waitFor('the port is open', async () => taken.listening);
    const { port } = taken.address() as { port: number };
    const own = new Shutdown(world.context.log);
    const config = { ...world.context.config, workerPort: port };
    const starting = runWorker({ ...world.context, config }, makeMonitoring(systemClock), world.context.log, own);
    await expect(starting).rejects.toThrow(
      new ConfigError([
        `WORKER_PORT ${port} is taken by another program: stop that one, or set WORKER_PORT to another.`,
      ]),
    );
    await own.run();
    taken.close();
  });
});

describe('a worker', () => {
  const noneStalled = { stalledLoops: () => [] };

  it('is not ready while the database does not answer', async () => {
    const db = openDb({ url: 'postgres://127.0.0.1:1/none', connections: 2, pooled: false, applicationName: 'test' });
    expect(await makeReadiness({ db, log: world.context.log }, noneStalled)()).toBe('The database does not answer.');
    await db.close();
  });

  it('is not ready while a loop has not turned for long, and names it; a long step that turns is no problem', async () => {
    const until = (signal: AbortSignal): Promise<number> =>
      new Promise((resolve) => signal.addEventListener('abort', () => resolve(0)));
    const limits = { intervalSeconds: 60, batchSize: 1, maxStepSeconds: 1 };
    const worker: RunningWorker = runLoops(
      [
        { ...limits, name: 'hangs', step: (_services, _batch, signal) => until(signal) },
        { ...limits, name: 'sleeps', step: async () => 0 },
        {
          ...limits,
          name: 'turns',
          step: async (_services, _batch, signal, onTurn) => {
            const timer = setInterval(onTurn, 5);
            await until(signal);
            clearInterval(timer);
            return 0;
          },
        },
      ],
      { log: world.context.log } as WorkerServices,
    );
    await waitFor('a loop is stalled', () => worker.stalledLoops().length > 0);
    expect(worker.stalledLoops()).toEqual(['hangs']);
    expect(await makeReadiness(world.context, worker)()).toBe('These loops have not turned for long: hangs.');
    await worker.close();
  });
});

describe('the manifests of Kubernetes', () => {
  it('send no traffic to a server, and wait for a worker, while /readyz is not 200', () => {
    const file = readFileSync(join(packageRoot, 'deploy', 'kubernetes', 'everyshare.yaml'), 'utf8');
    const deployments = parseAllDocuments(file)
      .map((document) => document.toJS())
      .filter(({ kind }) => kind === 'Deployment');
    expect(deployments).toHaveLength(2);
    for (const { spec } of deployments)
      for (const { readinessProbe, livenessProbe } of spec.template.spec.containers) {
        expect(readinessProbe.httpGet.path).toBe('/readyz');
        expect(livenessProbe.httpGet.path).toBe('/healthz');
      }
  });
});
