// One run of the check of the card processor: its steps, the requests that they make, and what each has found. The steps
// themselves are in check-processor.ts.

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
  /** What the check could not undo, for a person who looks at the processor's dashboard. */
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

export interface Result<T> {
  readonly found: string;
  readonly ok: boolean;
  /** What later steps need. */
  readonly value?: T;
}

export interface Step<T> {
  readonly step: string;
  readonly proves: string;
  readonly expected: string;
  run(): Promise<Result<T>>;
}

export const AMOUNT = 2000;
export const CURRENCY = 'usd';

export class CheckRun {
  readonly steps: CheckedStep[] = [];
  readonly left: string[] = [];
  readonly options: ProcessorCheckOptions;
  #keys = 0;

  constructor(options: ProcessorCheckOptions) {
    this.options = options;
  }

  get processor(): Processor {
    return this.options.processor;
  }

  key(name: string): string {
    return `check ${this.options.runId} ${name} ${++this.#keys}`;
  }

  newHold(name: string, customerId: string | null): NewHold {
    const { runId } = this.options;
    const metadata = {
      venueId: `check_${runId}`,
      checkoutId: `check_${runId}`,
      shareId: `check_${runId}`,
      holdId: `check_${runId}_${name}`,
    };
    return {
      key: this.key(name),
      amount: AMOUNT,
      currency: CURRENCY,
      description: 'everyshare processor check',
      metadata,
      customerId,
      needsLongHold: customerId !== null,
      statementSuffix: 'CHECK',
    };
  }

  /** Undefined: the step failed, or an earlier one that it needs. */
  async record<T>(step: Step<T>): Promise<T | undefined> {
    const { step: name, proves, expected } = step;
    try {
      const { found, ok, value } = await step.run();
      this.steps.push({ step: name, proves, expected, found, ok });
      return ok ? value : undefined;
    } catch (error) {
      const found = error instanceof Error ? error.message : String(error);
      this.steps.push({ step: name, proves, expected, found, ok: false });
      return undefined;
    }
  }
}

export function needed<T>(value: T | undefined | null, step: string): T {
  if (value === undefined || value === null) throw new Error(`not run: the step "${step}" has failed`);
  return value;
}

export const money = (amount: number): string => `${(amount / 100).toFixed(2)} ${CURRENCY.toUpperCase()}`;
