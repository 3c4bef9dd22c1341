// The nemesis's plan: what is done to whom and when, all of it from the seed, before anything begins. How the processes
// answer to it is their own affair; the plan of a seed is always the same.

import { Chance } from '../sim/chance.ts';
import type { Mood } from './receivers.ts';

export type Target =
  | 'api-1'
  | 'api-2'
  | 'worker-1'
  | 'worker-2'
  | 'guest-door'
  | 'processor'
  | 'postgres'
  | 'receivers';

export type Deed =
  /** kill -9; it is started again after a while. */
  | { readonly act: 'kill'; readonly target: Target; readonly downMs: number }
  | { readonly act: 'term'; readonly target: Target; readonly downMs: number }
  /** SIGSTOP, and SIGCONT after a while. */
  | { readonly act: 'stop'; readonly target: Target; readonly forMs: number }
  /** kill -9 of one backend: PostgreSQL throws everybody out and recovers. */
  | { readonly act: 'kill backend'; readonly target: 'postgres'; readonly nth: number }
  /** pg_terminate_backend for some of the connections. */
  | { readonly act: 'cut'; readonly target: 'postgres'; readonly share: number }
  /** The partners' servers do not answer, or say no. */
  | { readonly act: 'mood'; readonly target: 'receivers'; readonly forMs: number; readonly mood: Mood }
  | { readonly act: 'faults'; readonly target: 'processor'; readonly forMs: number; readonly settings: unknown };

export interface Planned {
  /** Milliseconds from the beginning. */
  readonly at: number;
  readonly deed: Deed;
}

const SERVERS = ['api-1', 'api-2'] as const;
const WORKERS = ['worker-1', 'worker-2'] as const;
/** Longer than the program's leases (60 s): whoever wakes after that must find that it is late. */
const LONGER_THAN_A_LEASE = [62_000, 72_000] as const;

export interface Pace {
  /** How many seconds lie between two deeds, about. */
  readonly everySeconds: number;
}

export function makePlan(seed: number, seconds: number, pace: Pace): readonly Planned[] {
  const chance = new Chance(seed, 'nemesis');
  const plan: Planned[] = [];
  const gap = pace.everySeconds * 1000;
  const end = seconds * 1000;
  for (let at = 1_500; at < end; at += chance.between(gap * 0.3, gap * 1.7)) {
    plan.push({ at: Math.round(at), deed: drawDeed(chance, end - at) });
  }
  return plan;
}

function drawDeed(chance: Chance, left: number): Deed {
  const draw = chance.weighed<() => Deed>([
    [12, () => kill(chance, chance.pick(SERVERS))],
    [12, () => kill(chance, chance.pick(WORKERS))],
    [4, () => kill(chance, 'guest-door')],
    [9, () => kill(chance, 'processor')],
    [8, () => ({ act: 'kill', target: 'postgres', downMs: 0 })],
    [4, () => ({ act: 'kill backend', target: 'postgres', nth: chance.below(40) })],
    [5, () => ({ ...kill(chance, chance.pick(SERVERS)), act: 'term' })],
    [5, () => ({ ...kill(chance, chance.pick(WORKERS)), act: 'term' })],
    [2, () => ({ ...kill(chance, 'processor'), act: 'term' })],
    [7, () => stop(chance, chance.pick(SERVERS), left)],
    [8, () => stop(chance, chance.pick(WORKERS), left)],
    [3, () => stop(chance, 'guest-door', left)],
    [4, () => ({ act: 'stop', target: 'processor', forMs: chance.between(300, 5_000) })],
    [3, () => ({ act: 'stop', target: 'postgres', forMs: chance.between(300, 4_000) })],
    [10, () => ({ act: 'cut', target: 'postgres', share: chance.pick([0.2, 0.5, 1]) })],
    [18, () => faults(chance)],
    [8, () => mood(chance)],
  ]);
  return draw();
}

function kill(chance: Chance, target: Target): Deed & { readonly downMs: number } {
  return { act: 'kill', target, downMs: chance.pick([0, 0, 300, 1_500, 4_000]) };
}

function stop(chance: Chance, target: Target, left: number): Deed {
  const long = left > LONGER_THAN_A_LEASE[1] && chance.often(0.2);
  return { act: 'stop', target, forMs: long ? chance.between(...LONGER_THAN_A_LEASE) : chance.between(300, 7_000) };
}

function mood(chance: Chance): Deed {
  return {
    act: 'mood',
    target: 'receivers',
    forMs: chance.between(2_000, 20_000),
    mood: chance.pick(['hang', 'hang', 'refuse']),
  };
}

const OPERATIONS = [
  '*',
  '*',
  'payment_intents.create',
  'payment_intents.retrieve',
  'payment_intents.confirm',
  'payment_intents.capture',
  'payment_intents.cancel',
  'refunds.create',
  'transfers.create',
  'transfer_reversals.create',
];

function faults(chance: Chance): Deed {
  const rules = Array.from({ length: chance.between(1, 3) }, (_, place) => ({
    id: `chaos_${place}`,
    on: chance.pick(OPERATIONS),
    kind: chance.pick([
      'slow',
      'timeout_before',
      'timeout_after',
      'timeout_after',
      'rate_limited',
      'error_500',
      'error_500_after',
      'error_500_after',
      'drop_connection',
    ]),
    ms: chance.pick([50, 400, 1_500, 4_000]),
    probability: chance.pick([0.2, 0.5, 0.9]),
  }));
  const some = (): number => chance.pick([0, 0, 0.3, 0.8]);
  const webhooks = { duplicate: some(), shuffle: some(), drop: some(), delay_ms: chance.pick([0, 0, 500, 3_000]) };
  return { act: 'faults', target: 'processor', forMs: chance.between(2_000, 9_000), settings: { rules, webhooks } };
}
