// What a bench is: one promise of speed, as a ratio of two sides that take turns in one run on one machine.

import type { Stage } from './stage.ts';

export interface Bench {
  readonly name: string;
  /** Below this the run fails. */
  readonly floor: number;
  readonly goal: number;
  /** Of what both sides measure. */
  readonly unit: 'requests/s' | 'boats/s' | 'parties/s' | 'checkouts/s' | 'deliveries/s' | 'events/s' | 'ms' | 'KB';
  /** Whether more of the unit is better. A ratio is always the better the larger it is. */
  readonly better: 'more' | 'less';
  /** The figure itself counts, and not its ratio to the other side: floor and goal are the most that it may be. */
  readonly isSize?: true;
  /** Our own, not on the list of promises: left out of --quick, unless it is asked for by name. */
  readonly isExtra?: true;
  /** What a reader must know to read the figure right. */
  readonly note?: string;
  readonly rounds: { readonly full: number; readonly quick: number };
  readonly sides: { readonly ours: string; readonly base: string };
  prepare(stage: Stage): Promise<Prepared>;
}

/** Both sides, warm and ready to take turns. Each call is one round and gives its figure; an error spoils the run. */
export interface Prepared {
  ours(): Promise<number>;
  base(): Promise<number>;
  /** Ends what was started, and complains of whatever went wrong unseen. */
  close(): Promise<void>;
}

export interface Round {
  readonly ours: number;
  readonly base: number;
  readonly ratio: number;
}

export interface Result {
  readonly name: string;
  /** The median of the rounds' ratios; the worst there is (0, or far too large a size) when the run saw an error. */
  readonly ratio: number;
  readonly unit: string;
  readonly floor: number;
  readonly goal: number;
  readonly rounds: number;
  /** (largest ratio - smallest) / median. */
  readonly spread: number;
  readonly better: 'more' | 'less';
  readonly sides: { readonly ours: string; readonly base: string };
  readonly measured: readonly Round[];
  readonly isSize?: true;
  readonly note?: string;
  readonly error?: string;
  /** What it took, all in all. */
  readonly seconds: number;
}
