// The embedded bank in this process, its faults, and its books as seen from outside: every line of its journal is read, so
// that what it says happened to money is known apart from what we believe. Watches the keys of the calls that we make.

import { makeProcessorApi, type ProcessorApi } from '../../sandbox/processor/api.ts';
import type { FaultKind } from '../../sandbox/processor/faults.ts';
import type { Journal } from '../../sandbox/processor/journal.ts';
import type { ApiOutcome, ApiRequest } from '../../sandbox/processor/messages.ts';
import type {
  ChargeRow,
  DisputeRow,
  IntentRow,
  RefundRow,
  ReversalRow,
  TransferRow,
} from '../../sandbox/processor/row-types.ts';
import type { Clock } from '../../src/base/clock.ts';
import type { SeededRandom } from '../support/seeded-random.ts';
import { PROCESSOR_KEYS } from './processor-client.ts';
import { Violation } from './scheduler.ts';

interface JournalLine {
  readonly m: 'test' | 'live';
  readonly p?: readonly (readonly [string, { readonly id: string }])[];
}

export class ProcessorBooks {
  readonly intents = new Map<string, IntentRow>();
  readonly charges = new Map<string, ChargeRow>();
  readonly refunds = new Map<string, RefundRow>();
  readonly transfers = new Map<string, TransferRow>();
  readonly reversals = new Map<string, ReversalRow>();
  readonly disputes = new Map<string, DisputeRow>();
  readonly #onCapture: (charge: ChargeRow) => void;

  constructor(onCapture: (charge: ChargeRow) => void) {
    this.#onCapture = onCapture;
  }

  read(entry: unknown): void {
    const line = entry as JournalLine;
    if (line.m !== 'test') throw new Violation('a call of test mode has reached live mode');
    for (const [table, row] of line.p ?? []) {
      if (table === 'charges') {
        const charge = row as ChargeRow;
        const before = this.charges.get(charge.id);
        this.charges.set(charge.id, charge);
        if (charge.captured && before?.captured !== true) this.#onCapture(charge);
      } else if (table === 'intents') this.intents.set(row.id, row as IntentRow);
      else if (table === 'refunds') this.refunds.set(row.id, row as RefundRow);
      else if (table === 'transfers') this.transfers.set(row.id, row as TransferRow);
      else if (table === 'reversals') this.reversals.set(row.id, row as ReversalRow);
      else if (table === 'disputes') this.disputes.set(row.id, row as DisputeRow);
    }
  }

  /** What the processor keeps for us. */
  balance(): number {
    let sum = 0;
    for (const { amountCaptured } of this.charges.values()) sum += amountCaptured;
    for (const { amount } of this.refunds.values()) sum -= amount;
    for (const { amount } of this.transfers.values()) sum -= amount;
    for (const { amount } of this.reversals.values()) sum += amount;
    for (const { amount, status } of this.disputes.values()) if (status !== 'won') sum -= amount;
    return sum;
  }
}

export interface SimulatedProcessor {
  readonly processor: ProcessorApi;
  readonly books: ProcessorBooks;
  /** Carries a request of ours, with its key looked at. */
  carry(request: ApiRequest): Promise<ApiOutcome>;
  heal(): void;
}

const KINDS: readonly FaultKind[] = [
  'timeout_before',
  'timeout_after',
  'timeout_after',
  'rate_limited',
  'error_500',
  'error_500_after',
  'drop_connection',
];

export interface ProcessorSettings {
  readonly clock: Clock;
  readonly random: SeededRandom;
  /** How often a call meets a fault. */
  readonly faulty: number;
  readonly onCapture: (charge: ChargeRow) => void;
  readonly plant: ((request: ApiRequest) => ApiRequest) | null;
}

export function simulateProcessor(settings: ProcessorSettings): SimulatedProcessor {
  const books = new ProcessorBooks(settings.onCapture);
  const found: { violation: unknown } = { violation: null };
  const journal: Journal = {
    read: () => [],
    startWriting: () => undefined,
    append(line) {
      try {
        books.read(line);
      } catch (error) {
        // Inside the bank it would become an answer of 500.
        found.violation ??= error;
      }
    },
    flush: () => null,
    close: async () => undefined,
  };
  const processor = makeProcessorApi({
    clock: settings.clock,
    random: settings.random,
    journal,
    keys: PROCESSOR_KEYS,
    onInternalError: (error) => {
      found.violation ??= error;
    },
  });
  const each = settings.faulty / KINDS.length;
  processor.faults.set({
    rules: KINDS.map((kind, at) => ({ id: `fault ${at}`, on: '*', kind, probability: each, ms: 1 })),
  });
  const watch = new KeyWatch();
  return {
    processor,
    books,
    async carry(asked) {
      const request = settings.plant === null ? asked : settings.plant(asked);
      watch.before(request);
      const response = await processor.handle(request);
      watch.after(request, response);
      if (found.violation !== null) throw found.violation;
      return response;
    },
    heal: () => processor.faults.clear(),
  };
}

/** Every call that changes something has a key; one whose outcome is not known is asked again under the same key. */
class KeyWatch {
  readonly #unknown = new Map<string, string>();
  /** Keys under which the bank has spoken: it would only say the same again, so trouble after that leaves nothing open. */
  readonly #answered = new Set<string>();

  before(request: ApiRequest): void {
    if (!isOurs(request) || request.method !== 'POST') return;
    const key = request.headers['idempotency-key'];
    if (key === undefined || key === '') throw new Violation(`POST ${request.path} went out without a key`);
    const before = this.#unknown.get(actOf(request));
    if (before !== undefined && before !== key) {
      throw new Violation(`POST ${request.path} was tried as "${before}", its outcome is unknown, and now is "${key}"`);
    }
  }

  after(request: ApiRequest, response: ApiOutcome): void {
    if (!isOurs(request) || request.method !== 'POST') return;
    const key = request.headers['idempotency-key'] ?? '';
    const isKnown = response.fault === undefined && response.status < 500 && response.status !== 429;
    if (isKnown) {
      this.#answered.add(key);
      this.#unknown.delete(actOf(request));
    } else if (!this.#answered.has(key)) this.#unknown.set(actOf(request), key);
  }
}

function isOurs({ headers }: ApiRequest): boolean {
  return headers.authorization?.includes(PROCESSOR_KEYS.test.secret) === true;
}

/** What is done to what. Two refunds of one charge can look the same: their key is what tells them apart. */
function actOf({ path, body, headers }: ApiRequest): string {
  const isOneOfMany = path === '/v1/refunds' || path === '/v1/transfers' || path.endsWith('/reversals');
  return isOneOfMany ? `${path} ${headers['idempotency-key']}` : `${path} ${body}`;
}
