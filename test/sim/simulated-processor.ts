// The embedded processor in this process, its faults, and its books, read from every line of its journal, so that the
// processor's money is known independently of our records. Also checks the idempotency keys of our calls.

import { makeProcessorApi, type ProcessorApi } from '../../sandbox/processor/api.ts';
import type { FaultKind } from '../../sandbox/processor/faults.ts';
import type { Journal } from '../../sandbox/processor/journal.ts';
import type { ApiOutcome, ApiRequest } from '../../sandbox/processor/messages.ts';
import type {
  ChargeRow,
  DisputeRow,
  IntentRow,
  PayoutRow,
  RefundRow,
  ReversalRow,
  TransferRow,
} from '../../sandbox/processor/row-types.ts';
import type { Clock } from '../../src/base/clock.ts';
import type { Mode } from '../../src/base/config.ts';
import type { SeededRandom } from '../support/seeded-random.ts';
import { PROCESSOR_KEYS } from './processor-client.ts';
import { Violation } from './scheduler.ts';

interface JournalLine {
  readonly m: Mode;
  readonly p?: readonly (readonly [string, { readonly id: string }])[];
}

export class ProcessorBooks {
  readonly intents = new Map<string, IntentRow>();
  readonly charges = new Map<string, ChargeRow>();
  readonly refunds = new Map<string, RefundRow>();
  readonly transfers = new Map<string, TransferRow>();
  readonly reversals = new Map<string, ReversalRow>();
  readonly disputes = new Map<string, DisputeRow>();
  readonly payouts = new Map<string, PayoutRow>();
  readonly #mode: Mode;
  readonly #onCapture: (charge: ChargeRow) => void;

  constructor(mode: Mode, onCapture: (charge: ChargeRow) => void) {
    this.#mode = mode;
    this.#onCapture = onCapture;
  }

  read(entry: unknown): void {
    const line = entry as JournalLine;
    if (line.m !== this.#mode) throw new Violation(`a call in ${this.#mode} mode reached the other mode`);
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
      else if (table === 'payouts') this.payouts.set(row.id, row as PayoutRow);
    }
  }

  /** A refund of a movement has reached the guest, or may still do so. */
  hasPaidRefund(movementId: string): boolean {
    return [...this.refunds.values()].some(
      ({ metadata, status }) => metadata.movement_id === movementId && status !== 'failed',
    );
  }

  /** The newest refund of a movement has failed. */
  hasFailedRefund(movementId: string): boolean {
    return (
      [...this.refunds.values()].findLast(({ metadata }) => metadata.movement_id === movementId)?.status === 'failed'
    );
  }

  /** What the processor has sent to the accounts of venues, and has not taken back. */
  sentToVenues(): number {
    let sum = 0;
    for (const { amount } of this.transfers.values()) sum += amount;
    for (const { amount } of this.reversals.values()) sum -= amount;
    return sum;
  }

  /** The accounts whose balance is below zero: a reversal took more than they had. */
  overdrawnAccounts(): string[] {
    const balances = new Map<string, number>();
    const add = (account: string, amount: number) => balances.set(account, (balances.get(account) ?? 0) + amount);
    for (const { destination, amount } of this.transfers.values()) add(destination, amount);
    for (const { transfer, amount } of this.reversals.values()) {
      add(this.transfers.get(transfer)?.destination ?? 'unknown', -amount);
    }
    for (const { account, amount } of this.payouts.values()) if (account !== null) add(account, -amount);
    return [...balances].flatMap(([account, balance]) => (balance < 0 ? account : []));
  }

  /** The money that the processor holds for us, less its fees. */
  balance(): number {
    let sum = 0;
    for (const { amountCaptured } of this.charges.values()) sum += amountCaptured - feeOf(amountCaptured);
    for (const { amount, status } of this.refunds.values()) if (status !== 'failed') sum -= amount;
    sum -= this.sentToVenues();
    for (const { account, amount } of this.payouts.values()) if (account === null) sum -= amount;
    for (const { amount, isInquiry, reinstated = 0, reinstatedLater = 0, isFeeReturned } of this.disputes.values()) {
      if (isInquiry === true) continue;
      sum -= amount - reinstated - reinstatedLater + (isFeeReturned === true ? 0 : DISPUTE_FEE);
    }
    return sum;
  }
}

/** Written again here, for the same reason as the fee of a charge. */
const DISPUTE_FEE = 1500;

/** The list price for each captured charge, written again here: the processor's own formula must not decide alone. */
function feeOf(captured: number): number {
  return captured === 0 ? 0 : 30 + Number((BigInt(captured) * 290n + 5_000n) / 10_000n);
}

export interface SimulatedProcessor {
  readonly processor: ProcessorApi;
  readonly books: ProcessorBooks;
  /** Sends a request of the service, after a check of its idempotency key. */
  send(request: ApiRequest): Promise<ApiOutcome>;
  heal(): void;
  /** Makes an account that can be paid, without faults. */
  openAccount(): Promise<VenueAccount>;
}

/** A connected account, whose transfers capability the simulation changes as the processor's review would. */
export interface VenueAccount {
  readonly id: string;
  isActive: boolean;
  setActive(isActive: boolean): Promise<void>;
}

const FAULT_KINDS: readonly FaultKind[] = [
  'timeout_before',
  'timeout_after',
  'timeout_after',
  'rate_limited',
  'error_500',
  'error_500_rolled_back',
  'error_500_after',
  'drop_connection',
];

export interface ProcessorSettings {
  readonly mode: Mode;
  readonly clock: Clock;
  readonly random: SeededRandom;
  /** Probability of a fault in a call. */
  readonly faultRate: number;
  /** Decides when the processor pays out the account of a venue, besides every midnight. */
  readonly payoutRandom: SeededRandom;
  /** Probability of such a payout after a transfer. */
  readonly payoutRate: number;
  readonly onCapture: (charge: ChargeRow) => void;
  readonly rewrite: ((request: ApiRequest) => ApiRequest) | null;
}

export function simulateProcessor(settings: ProcessorSettings): SimulatedProcessor {
  const books = new ProcessorBooks(settings.mode, settings.onCapture);
  const found: { violation: unknown } = { violation: null };
  const journal: Journal = {
    read: () => [],
    startWriting: () => undefined,
    append(line) {
      try {
        books.read(line);
      } catch (error) {
        // Thrown here it would become a 500 of the processor.
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
  const each = settings.faultRate / FAULT_KINDS.length;
  processor.faults.set({
    rules: [
      ...FAULT_KINDS.map((kind, at) => ({ id: `fault ${at}`, on: '*', kind, probability: each, ms: 1 })),
      // Any other call takes such a refusal as final, and may.
      ...['payment_intents.capture', 'payment_intents.cancel'].map((on) => ({
        id: `refusal ${on}`,
        on,
        kind: 'refused_for_now' as const,
        probability: each,
      })),
    ],
  });
  const keyCheck = new IdempotencyKeyCheck();
  return {
    processor,
    books,
    async send(original) {
      const request = settings.rewrite === null ? original : settings.rewrite(original);
      keyCheck.before(request);
      const response = await processor.handle(request);
      keyCheck.after(request, response);
      await payOutSometimes(processor, settings, request);
      if (found.violation !== null) throw found.violation;
      return response;
    },
    heal: () => processor.faults.clear(),
    openAccount: () => openAccount(processor, settings.mode),
  };
}

/** A venue's account that is paid out cannot give a transfer back. */
async function payOutSometimes(
  processor: ProcessorApi,
  { mode, payoutRandom, payoutRate }: ProcessorSettings,
  { path, method, body }: ApiRequest,
): Promise<void> {
  if (method !== 'POST' || path !== '/v1/transfers' || !payoutRandom.often(payoutRate)) return;
  await controlPayouts(processor, mode, `account=${new URLSearchParams(body).get('destination')}`);
}

/** All accounts are paid out at midnight, as at the real processor. */
export const payOutDaily = (processor: ProcessorApi, mode: Mode): Promise<void> =>
  controlPayouts(processor, mode, 'accounts=daily');

async function controlPayouts(processor: ProcessorApi, mode: Mode, body: string): Promise<void> {
  const headers = { authorization: `Bearer ${PROCESSOR_KEYS[mode].secret}` };
  const response = await processor.handle({ method: 'POST', path: '/sandbox/payouts', headers, body });
  if (response.fault !== undefined || response.status !== 200) throw new Violation('a payout was refused');
}

const NEW_ACCOUNT = {
  contact_email: 'pay@harbor.example',
  identity: { country: 'US' },
  configuration: { recipient: { capabilities: { stripe_balance: { stripe_transfers: { requested: true } } } } },
};

async function openAccount(processor: ProcessorApi, mode: Mode): Promise<VenueAccount> {
  const rules = processor.faults.read();
  const post = async (path: string, body: string): Promise<string> => {
    const headers = { authorization: `Bearer ${PROCESSOR_KEYS[mode].secret}` };
    const response = await processor.handle({ method: 'POST', path, headers, body });
    if (response.fault !== undefined || response.status !== 200) throw new Error(`${path} failed`);
    return response.body;
  };
  processor.faults.clear();
  const { id } = JSON.parse(await post('/v2/core/accounts', JSON.stringify(NEW_ACCOUNT))) as { id: string };
  const account: VenueAccount = {
    id,
    isActive: false,
    async setActive(isActive) {
      await post(`/sandbox/accounts/${id}`, `transfers_status=${isActive ? 'active' : 'restricted'}`);
      account.isActive = isActive;
    },
  };
  await account.setActive(true);
  processor.faults.set(rules);
  return account;
}

/**
 * Every POST has an idempotency key, and a call without an answer is repeated with the same key. After a 500 the key may
 * be spent: the service must use another one, and must have looked for what the failed call did. The books show whether
 * it has.
 */
class IdempotencyKeyCheck {
  readonly #unknown = new Map<string, string>();
  /** Keys with a response: the processor would repeat it, so a later fault leaves no outcome unknown. */
  readonly #answered = new Set<string>();

  before(request: ApiRequest): void {
    if (!isOurs(request) || request.method !== 'POST') return;
    const key = request.headers['idempotency-key'];
    if (key === undefined || key === '') throw new Violation(`POST ${request.path} was sent without a key`);
    const before = this.#unknown.get(actionOf(request));
    if (before !== undefined && before !== key) {
      throw new Violation(
        `POST ${request.path} with key "${before}" has an unknown outcome, and was repeated with "${key}"`,
      );
    }
  }

  after(request: ApiRequest, response: ApiOutcome): void {
    if (!isOurs(request) || request.method !== 'POST') return;
    const key = request.headers['idempotency-key'] ?? '';
    const isKnown = response.fault === undefined && response.status !== 429;
    if (isKnown) {
      this.#answered.add(key);
      this.#unknown.delete(actionOf(request));
    } else if (!this.#answered.has(key)) this.#unknown.set(actionOf(request), key);
  }
}

function isOurs({ headers }: ApiRequest): boolean {
  return Object.values(PROCESSOR_KEYS).some(({ secret }) => headers.authorization?.includes(secret) === true);
}

/**
 * Identifies the action of a call. Two refunds of one charge may have equal bodies, so their key distinguishes them.
 */
function actionOf({ path, body, headers }: ApiRequest): string {
  const isRepeatable = path === '/v1/refunds' || path === '/v1/transfers' || path.endsWith('/reversals');
  return isRepeatable ? `${path} ${headers['idempotency-key']}` : `${path} ${body}`;
}
