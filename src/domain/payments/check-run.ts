// One run of the check of the card processor: its steps, the requests that they make, and what each has found. The steps
// themselves are in check-holds.ts and check-charges.ts.

import type { Clock } from '../../base/clock.ts';
import type { NewHold, Processor } from './processor.ts';

export interface CheckedStep {
  readonly step: string;
  /** What the service relies on. */
  readonly proves: string;
  readonly expected: string;
  readonly found: string;
  readonly ok: boolean;
}

export interface ProcessorCheck {
  readonly steps: readonly CheckedStep[];
  /** What the check could not undo, with its ids, for a person who looks at the processor's dashboard. */
  readonly left: readonly string[];
}

export interface ProcessorCheckOptions {
  readonly processor: Processor;
  readonly clock: Clock;
  /** Distinguishes this run: part of every idempotency key and id. */
  readonly runId: string;
  /** An account that is onboarded already; null: the check creates one. */
  readonly accountId: string | null;
  readonly sleep: (ms: number) => Promise<void>;
}

export interface StepTexts {
  readonly proves: string;
  readonly expected: string;
}

export interface Result<T> {
  readonly found: string;
  readonly ok: boolean;
  /** What later steps need. */
  readonly value?: T;
}

export const AMOUNT = 2000;
export const CURRENCY = 'usd';
const POLL_MS = 2_000;

export class CheckRun {
  readonly steps: CheckedStep[] = [];
  readonly left: string[] = [];
  /** By intent: why its charge cannot be refunded. */
  readonly unrefundable = new Map<string, string>();
  readonly options: ProcessorCheckOptions;
  readonly startedAt: number;
  #keys = 0;

  constructor(options: ProcessorCheckOptions) {
    this.options = options;
    this.startedAt = options.clock.now();
  }

  get processor(): Processor {
    return this.options.processor;
  }

  /** The mark of everything that this run makes: the venue and the checkout in the metadata. */
  get mark(): string {
    return `check_${this.options.runId}`;
  }

  key(name: string): string {
    return `check ${this.options.runId} ${name} ${++this.#keys}`;
  }

  movementId(name: string): string {
    return `${this.mark}_${name}`;
  }

  newHold(name: string, customerId: string | null): NewHold {
    const { mark } = this;
    return {
      key: this.key(name),
      amount: AMOUNT,
      currency: CURRENCY,
      description: 'everyshare processor check',
      metadata: { venueId: mark, checkoutId: mark, shareId: mark, holdId: `${mark}_${name}` },
      customerId,
      needsLongHold: customerId !== null,
      statementSuffix: 'CHECK',
    };
  }

  /** Runs one step and records what it found. Undefined: it failed, or an earlier one that it needs. */
  async step<T>(step: string, texts: StepTexts, work: () => Promise<Result<T>>): Promise<T | undefined> {
    try {
      const { found, ok, value } = await work();
      this.steps.push({ step, ...texts, found, ok });
      return ok ? value : undefined;
    } catch (error) {
      this.steps.push({ step, ...texts, found: messageOf(error), ok: false });
      return undefined;
    }
  }

  /** Asks again until there is an answer; null: there was none after `tries`. */
  async poll<T>(tries: number, ask: () => Promise<T | null>): Promise<T | null> {
    for (let count = 1; count <= tries; count++) {
      const answer = await ask();
      if (answer !== null) return answer;
      if (count < tries) await this.options.sleep(POLL_MS);
    }
    return null;
  }
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

export function needed<T>(value: T | undefined | null, step: string): T {
  if (value === undefined || value === null) throw new Error(`not run: the step "${step}" has failed`);
  return value;
}

export const money = (amount: number): string => `${(amount / 100).toFixed(2)} ${CURRENCY.toUpperCase()}`;
