// The processor's journal on disk: a restart has everything that a response showed, an incomplete last line is cut off,
// a large journal is compacted, and concurrent requests share a write.

import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeProcessorApi } from '../../sandbox/processor/api.ts';
import { openFileJournal } from '../../sandbox/processor/file-journal.ts';
import { type Journal, JournalFailure, memoryJournal } from '../../sandbox/processor/journal.ts';
import { systemClock } from '../../src/base/clock.ts';
import { systemRandom } from '../../src/base/random.ts';
import { createHold, createPayment, keys, startTestProcessor } from '../support/test-processor.ts';
import { waitFor } from '../support/wait-for.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'everyshare-journal-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const journalFile = (): string => join(folder, 'journal-1.log');

describe('the store on disk', () => {
  it('has everything after a restart: objects, stored responses, and undelivered events', async () => {
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
      expect(after.api.webhooks.nextDueMs()).not.toBe(null);
      after.clock.aheadMs += 11_000;
      expect((await after.stripe.paymentIntents.retrieve(held.id)).status).toBe('canceled');
    } finally {
      await after.close();
    }
  });

  const allEvents = async ({ stripe }: Awaited<ReturnType<typeof startTestProcessor>>) =>
    (await stripe.events.list({ limit: 100 })).data.map(({ id }) => id);

  it('loses only an incomplete last write', async () => {
    const before = await startTestProcessor(folder);
    const acknowledged = await createHold(before.stripe);
    await before.close();
    const whole = readFileSync(journalFile()).length;
    appendFileSync(journalFile(), `deadbeef {"m":"test","p":[["customers",{"id":"cus_to`);
    const after = await startTestProcessor(folder);
    expect(readFileSync(journalFile()).length).toBe(whole);
    expect((await after.stripe.paymentIntents.retrieve(acknowledged.id)).status).toBe('requires_capture');
    const next = await createHold(after.stripe);
    await after.close();
    // A line with a wrong checksum is cut off too.
    truncateSync(journalFile(), readFileSync(journalFile()).length - 10);
    appendFileSync(journalFile(), '\n');
    const last = await startTestProcessor(folder);
    expect((await last.stripe.paymentIntents.retrieve(acknowledged.id)).id).toBe(acknowledged.id);
    await expect(last.stripe.paymentIntents.retrieve(next.id)).rejects.toThrow('No such payment_intent');
    await last.close();
  });

  it('does not open when a journal before the last one is damaged', () => {
    writeFileSync(journalFile(), 'not a line\n');
    writeFileSync(join(folder, 'journal-2.log'), '');
    expect(() => [...openFileJournal(folder).read()]).toThrow(/damaged at byte 0/);
  });
});

describe('a response', () => {
  /** An API whose journal flushes when the test says so. */
  const start = () => {
    let settled: Promise<void> | null = null;
    const journal: Journal = { ...memoryJournal(), flush: () => settled };
    const processor = makeProcessorApi({ clock: systemClock, random: systemRandom, journal, keys });
    const headers = { authorization: `Bearer ${keys.test.secret}`, 'idempotency-key': 'k' };
    const request = (method: string, path: string, body = '') => {
      const state = { done: false };
      const response = processor.handle({ method, path, headers, body }).finally(() => {
        state.done = true;
      });
      return { state, answer: response };
    };
    return {
      ask: request,
      writeWith: (writing: Promise<void> | null) => {
        settled = writing;
      },
    };
  };

  it('waits until everything it shows is on disk, for reads too', async () => {
    const { ask: request, writeWith } = start();
    let finish = (): void => undefined;
    writeWith(
      new Promise((resolve) => {
        finish = resolve;
      }),
    );
    const made = request('POST', '/v1/customers', 'name=A');
    const repeated = request('POST', '/v1/customers', 'name=A');
    const listed = request('GET', '/v1/payment_intents');
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect([made.state.done, repeated.state.done, listed.state.done]).toEqual([false, false, false]);
    writeWith(null);
    finish();
    expect(await made.answer).toMatchObject({ status: 200 });
    expect(await repeated.answer).toMatchObject({ status: 200, headers: { 'idempotent-replayed': 'true' } });
    expect(await listed.answer).toMatchObject({ status: 200 });
  });

  it('is never sent after the disk failed', async () => {
    const { ask: request, writeWith } = start();
    const failing = Promise.reject(new JournalFailure(new Error('no space')));
    failing.catch(() => undefined);
    writeWith(failing);
    await expect(request('POST', '/v1/customers', 'name=A').answer).rejects.toThrow('no space');
    await expect(request('GET', '/v1/balance').answer).rejects.toThrow('no space');
  });
});

describe('a journal', () => {
  it('is compacted into a snapshot when it is large, while lines are appended', async () => {
    const rows = new Map<string, number>();
    const entry = (key: string) => [key, rows.get(key)];
    const open = () => {
      const journal = openFileJournal(folder, { compactAtBytes: 20_000 });
      const known = new Map<string, number>();
      for (const text of journal.read()) known.set(...(JSON.parse(text) as [string, number]));
      journal.startWriting(() => [...rows.keys()].map((key) => JSON.stringify(entry(key))));
      return { journal, known };
    };
    const { journal } = open();
    for (let count = 0; count < 4000; count++) {
      const key = `k${count % 50}`;
      rows.set(key, count);
      journal.append(entry(key));
      if (count % 10 === 0) await journal.flush();
    }
    await journal.close();
    await waitFor('a snapshot is written', () => readdirSync(folder).some((name) => name.startsWith('snapshot-')));
    expect(readdirSync(folder)).not.toContain('journal-1.log');
    const repeated = open();
    expect(repeated.known).toEqual(rows);
    await repeated.journal.close();
  });

  it('writes lines that are appended together in one write', async () => {
    const journal = openFileJournal(folder);
    expect([...journal.read()]).toEqual([]);
    journal.startWriting(() => []);
    const writes = new Set<unknown>();
    for (let count = 0; count < 500; count++) {
      journal.append([count]);
      writes.add(journal.flush());
    }
    expect(writes.size).toBe(1);
    await Promise.all(writes);
    expect(journal.flush()).toBe(null);
    await journal.close();
    const repeated = openFileJournal(folder);
    expect([...repeated.read()].length).toBe(500);
  });

  it('acknowledges nothing after a failed write', async () => {
    const journal = openFileJournal(folder);
    expect([...journal.read()]).toEqual([]);
    journal.startWriting(() => []);
    rmSync(folder, { recursive: true, force: true });
    writeFileSync(folder, 'in the way');
    journal.append(['lost']);
    await expect(journal.flush()).rejects.toThrow('cannot be written');
    await expect(journal.flush()).rejects.toThrow('cannot be written');
    await journal.close();
  });
});
