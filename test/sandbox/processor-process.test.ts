// The processor in its own process: one process for each data directory, and nothing that it responded is lost when it
// is killed under load.

import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import {
  type EmbeddedProcessor,
  findEmbeddedProcessor,
  startEmbeddedProcessor,
} from '../../sandbox/processor/launcher.ts';
import { processStartTime } from '../../sandbox/processor/process-lock.ts';
import { packageRoot } from '../../src/base/package-root.ts';
import { keys, stripeClient } from '../support/test-processor.ts';
import { waitFor } from '../support/wait-for.ts';

// Starts and kills the processor.
vi.setConfig({ testTimeout: 60_000 });

let dataDir: string;
const started = new Map<number, EmbeddedProcessor>();
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'everyshare-processor-'));
});
afterEach(async () => {
  for (const processor of started.values()) await processor.stop();
  started.clear();
  rmSync(dataDir, { recursive: true, force: true });
});

async function start(overrides: { publicBase?: string; keys?: typeof keys } = {}): Promise<EmbeddedProcessor> {
  const command = [process.execPath, '--import', 'tsx', join('test', 'sandbox', 'processor-child.ts')];
  const processor = await startEmbeddedProcessor({ dataDir, keys, command, cwd: packageRoot, ...overrides });
  started.set(processor.pid, processor);
  return processor;
}

it('concurrent starts give one process; later starts adopt it, and only other keys restart it', async () => {
  const both = await Promise.all([start(), start(), start()]);
  expect(new Set(both.map(({ pid }) => pid)).size).toBe(1);
  const [first] = both;
  expect(await findEmbeddedProcessor(dataDir)).toBe(first?.url);
  const found = await start();
  expect([found.pid, found.isAdopted]).toEqual([first?.pid, true]);
  const elsewhere = await start({ publicBase: 'https://elsewhere.example/sandbox/processor' });
  expect([elsewhere.pid, elsewhere.isAdopted]).toEqual([first?.pid, true]);
  const restarted = { ...keys, live: { ...keys.live, webhookSecret: 'whsec_another' } };
  const other = await start({ keys: restarted, publicBase: 'https://venue.example/sandbox/processor' });
  expect(other.pid).not.toBe(first?.pid);
  expect(processStartTime(first?.pid ?? 0)).toBe(null);
  const stripe = stripeClient(other.port, keys.test.secret);
  const intent = await stripe.paymentIntents.create({
    amount: 1000,
    currency: 'usd',
    payment_method: 'pm_card_authenticationRequired',
    confirm: true,
  });
  expect(intent.next_action?.redirect_to_url?.url).toMatch(/^https:\/\/venue\.example\/sandbox\/processor\/3ds\/pi_/);
  await other.stop();
  // No late process starts now that the lock is free.
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(await findEmbeddedProcessor(dataDir)).toBe(null);
  expect(existsSync(join(dataDir, 'processor', 'lock'))).toBe(false);
});

it('a processor killed under load keeps everything it responded, and restarts at the same address', async () => {
  const first = await start();
  const stripe = stripeClient(first.port, keys.test.secret);
  const answered = new Map<string, string>();
  let ended = false;
  const guest = async (): Promise<void> => {
    while (!ended) {
      const { id, status } = await stripe.paymentIntents.create({
        amount: 1000,
        currency: 'usd',
        capture_method: 'manual',
        payment_method: 'pm_card_visa',
        confirm: true,
      });
      answered.set(id, status);
      answered.set(id, (await stripe.paymentIntents.capture(id)).status);
    }
  };
  const guests = Array.from({ length: 16 }, () => guest().catch(() => undefined));
  await waitFor('more than 200 calls are answered', () => answered.size > 200);
  process.kill(first.pid, 'SIGKILL');
  ended = true;
  await Promise.all(guests);

  const second = await start();
  expect(second.pid).not.toBe(first.pid);
  expect(second.port).toBe(first.port);
  const listed = new Map<string, string>();
  const repeated = stripeClient(second.port, keys.test.secret);
  for await (const { id, status } of repeated.paymentIntents.list({ limit: 100 })) listed.set(id, status);
  expect(answered.size).toBeGreaterThan(200);
  for (const [id, status] of answered) {
    // A capture may have run although its response was lost in the kill.
    expect([status, 'succeeded']).toContain(listed.get(id));
  }
});

it('a processor that cannot start throws its last log lines', async () => {
  const command = [process.execPath, '-e', 'console.error("no such luck"); process.exit(3)'];
  await expect(startEmbeddedProcessor({ dataDir, keys, command })).rejects.toThrow(/code 3[\s\S]*no such luck/);
  expect(readFileSync(join(dataDir, 'processor', 'processor.log'), 'utf8')).toContain('no such luck');
});
