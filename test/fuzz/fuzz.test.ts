// Bad input gets a clear answer, never a 500, a hang or a stored half: the short run of `npm run fuzz`, against the running
// server. And what makes it worth running: nothing is left out, and it gets deep.

import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { operations } from '../../src/run/operations.ts';
import { type Listening, startHttpsReceiver } from '../support/test-receivers.ts';
import { openTestWorld, PROCESSOR_KEYS, type TestWorld } from '../support/test-world.ts';
import { PAGES } from './ask-page.ts';
import { inWords } from './report.ts';
import { type FuzzTarget, type Outcome, runFuzz } from './run.ts';

const REQUESTS = 3_000;
const SEED = 1;

let world: TestWorld;
let receiver: Listening;
let outcome: Outcome;
const routes = new Set<string>();

function hearOfRoutes(message: unknown): void {
  const { fastify } = message as { fastify: FastifyInstance };
  fastify.addHook('onRoute', ({ method, url }) => {
    for (const one of Array.isArray(method) ? method : [method]) routes.add(`${one} ${url}`);
  });
}

beforeAll(async () => {
  subscribe('fastify.initialization', hearOfRoutes);
  world = await openTestWorld({
    env: { LOG_LEVEL: 'info', TRUSTED_PROXIES: '127.0.0.1', ALLOW_INSECURE_TARGETS: '1' },
  });
  unsubscribe('fastify.initialization', hearOfRoutes);
  receiver = await startHttpsReceiver((_request, response) => response.end('ok'));
  const place: FuzzTarget = {
    base: world.urls[0] ?? '',
    context: world.context,
    operatorToken: world.operatorToken,
    processorEventSecrets: { test: PROCESSOR_KEYS.test.webhookSecret, live: PROCESSOR_KEYS.live.webhookSecret },
    receiver: `https://127.0.0.1:${receiver.port}`,
  };
  outcome = await runFuzz(place, {
    seed: SEED,
    from: 0,
    requests: REQUESTS,
    lanes: 6,
    generation: REQUESTS / 3,
    boundMs: 120_000,
  });
}, 1_200_000);
afterAll(async () => {
  await world.close();
  await receiver.close();
});

describe('bad requests, thousands of them', () => {
  it('are all answered: in time, never with a 5xx, and as the OpenAPI document says', () => {
    const { findings } = outcome;
    expect(
      findings
        .slice(0, 5)
        .map((one) => inWords(one))
        .join('\n\n'),
    ).toBe('');
  });

  it('leave no line in the log that says that something of ours went wrong', () => {
    expect(world.logs.filter((line) => /"level":"(error|fatal)"/.test(line))).toEqual([]);
    expect(world.logs.filter((line) => line.includes('"msg":"request"')).length).toBeGreaterThan(REQUESTS / 2);
  });

  it('leave out no operation of the document, no tool, no venue system, nor any other address of the server', () => {
    expect(outcome.tally.untried).toEqual([]);
    const asked = new Set([...PAGES, ...operations.map(({ method, path }) => `${method} ${routed(path)}`)]);
    const others = ['POST /processor/notices/:mode', 'POST /mcp/'];
    const left = [...routes].filter((route) => !asked.has(route) && !others.includes(route) && !isOwnHead(route));
    expect(left).toEqual([]);
    expect([...asked].filter((route) => !routes.has(route))).toEqual([]);
  });

  it('get deep: every operation, every tool and every venue system takes some of them', () => {
    const never = outcome.tally.neverTaken.filter((label) => !PAGES.includes(label));
    // No worker is here that would have delivered anything.
    expect(never.filter((label) => label !== 'redeliver')).toEqual([]);
  });
});

const routed = (path: string): string => path.replaceAll(/\{([a-z_]+)\}/g, ':$1');

/** The server answers HEAD wherever it answers GET. */
function isOwnHead(route: string): boolean {
  return route.startsWith('HEAD ') && routes.has(route.replace('HEAD', 'GET'));
}
