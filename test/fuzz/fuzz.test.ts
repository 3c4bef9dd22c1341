// The short run of `npm run fuzz` against a test server: bad input gets a documented response, never a 500 or a hang.
// Also checks that the run reaches every address and that every address accepts some requests.

import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { operations } from '../../src/run/operations.ts';
import { type Listening, startHttpsReceiver } from '../support/test-receivers.ts';
import { openTestWorld, PROCESSOR_KEYS, type TestWorld } from '../support/test-world.ts';
import { waitFor } from '../support/wait-for.ts';
import { GO_LIVE_ENV } from './console.ts';
import { PAGES } from './page-requests.ts';
import { formatFinding } from './report.ts';
import { type FuzzTarget, type Outcome, runFuzz } from './run.ts';

const REQUESTS = 3_000;
const SEED = 12;
/** An operation is drawn about twenty times in a run, and few of those may be valid: then it gets some more. */
const MORE_REQUESTS = 1_000;
const MAX_MORE = 8;

let world: TestWorld;
let receiver: Listening;
let outcome: Outcome;
let findings: Outcome['findings'][number][];
let neverAccepted: string[];
const routes = new Set<string>();

function recordRoutes(message: unknown): void {
  const { fastify } = message as { fastify: FastifyInstance };
  fastify.addHook('onRoute', ({ method, url }) => {
    for (const one of Array.isArray(method) ? method : [method]) routes.add(`${one} ${url}`);
  });
}

beforeAll(async () => {
  subscribe('fastify.initialization', recordRoutes);
  world = await openTestWorld({
    env: { LOG_LEVEL: 'info', TRUSTED_PROXIES: '127.0.0.1', ALLOW_INSECURE_TARGETS: '1', ...GO_LIVE_ENV },
  });
  unsubscribe('fastify.initialization', recordRoutes);
  receiver = await startHttpsReceiver((_request, response) => response.end('ok'));
  const target: FuzzTarget = {
    base: world.urls[0] ?? '',
    context: world.context,
    operatorToken: world.operatorToken,
    processorEventSecrets: { test: PROCESSOR_KEYS.test.webhookSecret, live: PROCESSOR_KEYS.live.webhookSecret },
    receiver: `https://127.0.0.1:${receiver.port}`,
  };
  // A busy server may not have its first figures when the first request for them arrives, and says 503 until then.
  await waitFor('the first figures', async () => (await world.context.services.figures.read()) !== null, {
    timeoutMs: 60_000,
  });
  const options = {
    seed: SEED,
    concurrency: 6,
    requestsPerFixture: REQUESTS / 3,
    timeoutMs: 120_000,
  };
  outcome = await runFuzz(target, { ...options, from: 0, requests: REQUESTS });
  findings = [...outcome.findings];
  neverAccepted = missedIn(outcome);
  for (let more = 0; more < MAX_MORE && neverAccepted.length > 0; more++) {
    const from = REQUESTS + more * MORE_REQUESTS;
    const next = await runFuzz(target, {
      ...options,
      from,
      requests: MORE_REQUESTS,
      only: neverAccepted,
    });
    findings.push(...next.findings);
    const missed = missedIn(next);
    neverAccepted = neverAccepted.filter((label) => missed.includes(label));
  }
}, 1_200_000);
afterAll(async () => {
  await world.close();
  await receiver.close();
});

describe('thousands of bad requests', () => {
  it('all get a response in time, never a 5xx, and as the OpenAPI document says', () => {
    expect(
      findings
        .slice(0, 5)
        .map((one) => formatFinding(one))
        .join('\n\n'),
    ).toBe('');
  });

  it('leave no error in the log', () => {
    expect(world.logs.filter((line) => /"level":"(error|fatal)"/.test(line))).toEqual([]);
    expect(world.logs.filter((line) => line.includes('"msg":"request"')).length).toBeGreaterThan(REQUESTS / 2);
  });

  it('reach every operation, tool, venue system and other address of the server', () => {
    expect(outcome.coverage.untriedLabels).toEqual([]);
    const reached = new Set([...PAGES, ...operations.map(({ method, path }) => `${method} ${routed(path)}`)]);
    const others = ['POST /processor/notices/:mode', 'POST /mcp/'];
    const missed = [...routes].filter((route) => !reached.has(route) && !others.includes(route) && !isOwnHead(route));
    expect(missed).toEqual([]);
    expect([...reached].filter((route) => !routes.has(route))).toEqual([]);
  });

  it('are accepted at least once by every operation, tool and venue system', () => {
    expect(neverAccepted).toEqual([]);
  });
});

/**
 * No worker runs here, so there is no delivery to send again. The processor does not know the payout account that the fixture
 * stores, and gives no form for it. For the same reason no capture, refund or transfer fails, and no venue owes anything.
 */
const UNACCEPTABLE = [
  'redeliver',
  'startPayoutOnboarding',
  'retryCapture',
  'retryMovement',
  'reserveForPaymentByHand',
  'giveBackReserved',
  'payByHand',
  'oweReversal',
  'writeOffDebt',
];
const missedIn = ({ coverage }: Outcome): string[] =>
  coverage.neverAccepted.filter((label) => !PAGES.includes(label) && !UNACCEPTABLE.includes(label));

const routed = (path: string): string => path.replaceAll(/\{([a-z_]+)\}/g, ':$1');

/** The server answers HEAD wherever it answers GET. */
function isOwnHead(route: string): boolean {
  return route.startsWith('HEAD ') && routes.has(route.replace('HEAD', 'GET'));
}
