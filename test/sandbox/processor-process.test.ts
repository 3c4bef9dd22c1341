// The embedded processor in its own process: found again, started once however many ask, and nothing that it has
// answered is lost when it is killed under load.

import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { packageRoot } from '../../src/base/package-root.ts';
import { birthOf } from '../../src/sandbox/processor/lock.ts';
import {
  type EmbeddedProcessor,
  findEmbeddedProcessor,
  startEmbeddedProcessor,
} from '../../src/sandbox/processor/run.ts';
import { keys, stripeClient } from '../support/test-processor.ts';
import { waitFor } from '../support/wait-for.ts';

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

async function start(more: { publicBase?: string; keys?: typeof keys } = {}): Promise<EmbeddedProcessor> {
  const command = [process.execPath, '--import', 'tsx', join('test', 'sandbox', 'processor-child.ts')];
  const processor = await startEmbeddedProcessor({ dataDir, keys, command, cwd: packageRoot, ...more });
  started.set(processor.pid, processor);
  return processor;
}

it('is started once however many ask, is found again, and is restarted for other keys alone', async () => {
  const both = await Promise.all([start(), start(), start()]);
  expect(new Set(both.map(({ pid }) => pid)).size).toBe(1);
  const [first] = both;
  expect(await findEmbeddedProcessor(dataDir)).toBe(first?.url);
  const found = await start();
  expect([found.pid, found.adopted]).toEqual([first?.pid, true]);
  const elsewhere = await start({ publicBase: 'https://elsewhere.example/sandbox/processor' });
  expect([elsewhere.pid, elsewhere.adopted]).toEqual([first?.pid, true]);
  const fresh = { ...keys, live: { ...keys.live, webhookSecret: 'whsec_another' } };
  const other = await start({ keys: fresh, publicBase: 'https://venue.example/sandbox/processor' });
  expect(other.pid).not.toBe(first?.pid);
  expect(birthOf(first?.pid ?? 0)).toBe(null);
  const stripe = stripeClient(other.port, keys.test.secret);
  const intent = await stripe.paymentIntents.create({
    amount: 1000,
    currency: 'usd',
    payment_method: 'pm_card_authenticationRequired',
    confirm: true,
  });
  expect(intent.next_action?.redirect_to_url?.url).toMatch(/^https:\/\/venue\.example\/sandbox\/processor\/3ds\/pi_/);
  await other.stop();
  // Nobody who came too late starts now that the way is clear.
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(await findEmbeddedProcessor(dataDir)).toBe(null);
  expect(existsSync(join(dataDir, 'processor', 'lock'))).toBe(false);
});

it('killed under load it has lost nothing that it answered, and comes back at the same address', async () => {
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
  const kept = new Map<string, string>();
  const again = stripeClient(second.port, keys.test.secret);
  for await (const { id, status } of again.paymentIntents.list({ limit: 100 })) kept.set(id, status);
  expect(answered.size).toBeGreaterThan(200);
  for (const [id, status] of answered) {
    // A capture whose answer was on its way when it was killed may have been done.
    expect([status, 'succeeded']).toContain(kept.get(id));
  }
});

it('says what is wrong when it cannot start', async () => {
  const command = [process.execPath, '-e', 'console.error("no such luck"); process.exit(3)'];
  await expect(startEmbeddedProcessor({ dataDir, keys, command })).rejects.toThrow(/code 3[\s\S]*no such luck/);
  expect(readFileSync(join(dataDir, 'processor', 'processor.log'), 'utf8')).toContain('no such luck');
});
