// The types of a bench and its result: one promise of speed, as a ratio of two sides that alternate in one run on one
// machine.

import type { BenchFixture } from './fixture.ts';

export interface Bench {
  readonly name: string;
  /** Below this the run fails. */
  readonly floor: number;
  readonly goal: number;
  /** The unit of both sides' figures. */
  readonly unit:
    | 'requests/s'
    | 'requests/CPU s'
    | 'boats/s'
    | 'parties/s'
    | 'checkouts/s'
    | 'deliveries/s'
    | 'events/s'
    | 'jobs/s'
    | 'calls/s'
    | 'looks/s'
    | 'expansions/s'
    | 'feeds/s'
    | 'ms'
    | 'KB';
  /** Whether a larger figure is better. A larger ratio is always better. */
  readonly better: 'more' | 'less';
  /** The figure counts, not its ratio to the other side: floor and goal are upper limits. */
  readonly isSize?: true;
  /** Not a promise: left out of --quick unless --only names it. */
  readonly isExtra?: true;
  /** What exactly is measured; printed below the table. */
  readonly note?: string;
  readonly rounds: { readonly full: number; readonly quick: number };
  readonly sides: { readonly ours: string; readonly base: string };
  prepare(fixture: BenchFixture): Promise<PreparedBench>;
}

/** Both sides, warmed up. Each call is one round and returns its figure; an error fails the run. */
export interface PreparedBench {
  ours(): Promise<number>;
  base(): Promise<number>;
  /** Stops what the bench started; throws if something went wrong there. */
  close(): Promise<void>;
}

export interface Round {
  readonly ours: number;
  readonly base: number;
  readonly ratio: number;
}

export interface Result {
  readonly name: string;
  /** The median of the rounds' ratios; after an error the worst score (0, or a size far above the floor). */
  readonly ratio: number;
  readonly unit: string;
  readonly floor: number;
  readonly goal: number;
  readonly rounds: number;
  /** (largest ratio - smallest ratio) / median. */
  readonly spread: number;
  readonly better: 'more' | 'less';
  readonly sides: { readonly ours: string; readonly base: string };
  readonly measured: readonly Round[];
  readonly isSize?: true;
  readonly note?: string;
  readonly error?: string;
  /** Duration of the whole bench, with its preparation. */
  readonly seconds: number;
}
