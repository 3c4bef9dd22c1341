// The embedded processor's books on disk: a restart knows everything that was answered, a torn end is cut, a grown
// journal is folded, and concurrent requests share a write.

import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { systemRandom } from '../../src/base/random.ts';
import { makeBank } from '../../src/sandbox/processor/bank.ts';
import { openFileJournal } from '../../src/sandbox/processor/file-journal.ts';
import { type Journal, JournalFailure, memoryJournal } from '../../src/sandbox/processor/journal.ts';
import { createHold, createPayment, keys, startTestProcessor } from '../support/test-processor.ts';
import { waitFor } from '../support/wait-for.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'everyshare-books-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const journalOf = (): string => join(folder, 'journal-1.log');

describe('books on disk', () => {
  it('are all there after a restart: objects, answers to keys, and events on their way', async () => {
    const before = await startTestProcessor(folder);
    await before.stripe.webhookEndpoints.create({ url: 'http://127.0.0.1:9/dead', enabled_events: ['*'] });
    const paid = await createPayment(before.stripe);
    const held = await createHold(before.stripe, 'pm_card_holdLapses');
    const once = { idempotencyKey: 'k' };
    const customer = await before.stripe.customers.create({ name: 'Zoë' }, once);
    const [seen, events] = [await before.stripe.charges.retrieve(String(paid.latest_charge)), await allEvents(before)];
    await before.close();

    const after = await startTestProcessor(folder);
    try {
      expect(await after.stripe.paymentIntents.retrieve(paid.id)).toEqual(paid);
      expect(await after.stripe.charges.retrieve(seen.id)).toEqual(seen);
      expect(await after.stripe.customers.create({ name: 'Zoë' }, once)).toEqual(customer);
      expect(await allEvents(after)).toEqual(events);
      expect(after.bank.outbox.nextDue()).not.toBe(null);
      after.clock.ahead += 11_000;
      expect((await after.stripe.paymentIntents.retrieve(held.id)).status).toBe('canceled');
    } finally {
      await after.close();
    }
  });

  const allEvents = async ({ stripe }: Awaited<ReturnType<typeof startTestProcessor>>) =>
    (await stripe.events.list({ limit: 100 })).data.map(({ id }) => id);

  it('lose only the torn end of a write, and go on from there', async () => {
    const before = await startTestProcessor(folder);
    const kept = await createHold(before.stripe);
    await before.close();
    const whole = readFileSync(journalOf()).length;
    appendFileSync(journalOf(), `deadbeef {"m":"test","p":[["customers",{"id":"cus_to`);
    const after = await startTestProcessor(folder);
    expect(readFileSync(journalOf()).length).toBe(whole);
    expect((await after.stripe.paymentIntents.retrieve(kept.id)).status).toBe('requires_capture');
    const next = await createHold(after.stripe);
    await after.close();
    // A line that ends but does not add up is torn as well.
    truncateSync(journalOf(), readFileSync(journalOf()).length - 10);
    appendFileSync(journalOf(), '\n');
    const last = await startTestProcessor(folder);
    expect((await last.stripe.paymentIntents.retrieve(kept.id)).id).toBe(kept.id);
    await expect(last.stripe.paymentIntents.retrieve(next.id)).rejects.toThrow('No such payment_intent');
    await last.close();
  });

  it('are never believed when the middle is damaged under a newer file', () => {
    writeFileSync(journalOf(), 'not a line\n');
    writeFileSync(join(folder, 'journal-2.log'), '');
    expect(() => [...openFileJournal(folder).history()]).toThrow(/damaged at byte 0/);
  });
});

describe('an answer', () => {
  /** A bank whose disk does what it is told. */
  const start = () => {
    let settled: Promise<void> | null = null;
    const journal: Journal = { ...memoryJournal(), settled: () => settled };
    const bank = makeBank({ clock: systemClock, random: systemRandom, journal, keys });
    const headers = { authorization: `Bearer ${keys.test.secret}`, 'idempotency-key': 'k' };
    const ask = (method: string, path: string, body = '') => {
      const state = { done: false };
      const answer = bank.handle({ method, path, headers, body }).finally(() => {
        state.done = true;
      });
      return { state, answer };
    };
    return {
      ask,
      writeWith: (writing: Promise<void> | null) => {
        settled = writing;
      },
    };
  };

  it('waits until all that it tells of is on disk, for those who only look as well', async () => {
    const { ask, writeWith } = start();
    let finish = (): void => undefined;
    writeWith(
      new Promise((resolve) => {
        finish = resolve;
      }),
    );
    const made = ask('POST', '/v1/customers', 'name=A');
    const again = ask('POST', '/v1/customers', 'name=A');
    const listed = ask('GET', '/v1/payment_intents');
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect([made.state.done, again.state.done, listed.state.done]).toEqual([false, false, false]);
    writeWith(null);
    finish();
    expect(await made.answer).toMatchObject({ status: 200 });
    expect(await again.answer).toMatchObject({ status: 200, headers: { 'idempotent-replayed': 'true' } });
    expect(await listed.answer).toMatchObject({ status: 200 });
  });

  it('is never given when the disk has failed', async () => {
    const { ask, writeWith } = start();
    const failing = Promise.reject(new JournalFailure(new Error('no space')));
    failing.catch(() => undefined);
    writeWith(failing);
    await expect(ask('POST', '/v1/customers', 'name=A').answer).rejects.toThrow('no space');
    await expect(ask('GET', '/v1/balance').answer).rejects.toThrow('no space');
  });
});

describe('a journal', () => {
  it('that has grown is folded into a snapshot, while lines go on coming', async () => {
    const rows = new Map<string, number>();
    const entry = (key: string) => [key, rows.get(key)];
    const open = () => {
      const journal = openFileJournal(folder, { foldAt: 20_000 });
      const known = new Map<string, number>();
      for (const text of journal.history()) known.set(...(JSON.parse(text) as [string, number]));
      journal.begin(() => [...rows.keys()].map((key) => JSON.stringify(entry(key))));
      return { journal, known };
    };
    const { journal } = open();
    for (let count = 0; count < 4000; count++) {
      const key = `k${count % 50}`;
      rows.set(key, count);
      journal.append(entry(key));
      if (count % 10 === 0) await journal.settled();
    }
    await journal.close();
    await waitFor('a snapshot is written', () => readdirSync(folder).some((name) => name.startsWith('snapshot-')));
    expect(readdirSync(folder)).not.toContain('journal-1.log');
    const again = open();
    expect(again.known).toEqual(rows);
    await again.journal.close();
  });

  it('writes many lines that come together in a few turns', async () => {
    const journal = openFileJournal(folder);
    expect([...journal.history()]).toEqual([]);
    journal.begin(() => []);
    const writes = new Set<unknown>();
    for (let count = 0; count < 500; count++) {
      journal.append([count]);
      writes.add(journal.settled());
    }
    expect(writes.size).toBe(1);
    await Promise.all(writes);
    expect(journal.settled()).toBe(null);
    await journal.close();
    const again = openFileJournal(folder);
    expect([...again.history()].length).toBe(500);
  });

  it('that cannot be written acknowledges nothing, now or later', async () => {
    const journal = openFileJournal(folder);
    expect([...journal.history()]).toEqual([]);
    journal.begin(() => []);
    rmSync(folder, { recursive: true, force: true });
    writeFileSync(folder, 'in the way');
    journal.append(['lost']);
    await expect(journal.settled()).rejects.toThrow('cannot be written');
    await expect(journal.settled()).rejects.toThrow('cannot be written');
    await journal.close();
  });
});
