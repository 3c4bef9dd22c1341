// The nemesis's plan: what is done to whom and when, all of it from the seed, before anything begins. How the processes
// answer to it is their own affair; the plan of a seed is always the same.

import { SeededRandom } from '../support/seeded-random.ts';
import type { Mood } from './receivers.ts';

export type Target = 'api-1' | 'api-2' | 'worker-1' | 'worker-2' | 'processor' | 'postgres' | 'receivers';

export type Action =
  /** kill -9; it is started again after a while. */
  | { readonly act: 'kill'; readonly target: Target; readonly downMs: number }
  | { readonly act: 'term'; readonly target: Target; readonly downMs: number }
  /** SIGSTOP, and SIGCONT after a while. */
  | { readonly act: 'stop'; readonly target: Target; readonly forMs: number }
  /** As an operator does it: fast rolls everything back first, immediate leaves it to the recovery. */
  | { readonly act: 'restart'; readonly target: 'postgres'; readonly how: 'fast' | 'immediate' }
  /** kill -9 of one backend: PostgreSQL throws everybody out and recovers. */
  | { readonly act: 'kill backend'; readonly target: 'postgres'; readonly nth: number }
  /** pg_terminate_backend for some of the connections. */
  | { readonly act: 'cut'; readonly target: 'postgres'; readonly share: number }
  /** The partners' servers misbehave, all of them. */
  | { readonly act: 'mood'; readonly target: 'receivers'; readonly forMs: number; readonly mood: Mood }
  | { readonly act: 'faults'; readonly target: 'processor'; readonly forMs: number; readonly settings: unknown };

export interface Planned {
  /** Milliseconds from the beginning. */
  readonly at: number;
  /** One of KINDS, by its name. */
  readonly kind: string;
  readonly deed: Action;
}

const SERVERS = ['api-1', 'api-2'] as const;
const WORKERS = ['worker-1', 'worker-2'] as const;
/** Longer than the program's leases (60 s): whoever wakes after that must find that it is late. */
const LONGER_THAN_A_LEASE = [62_000, 72_000] as const;

export interface Pace {
  /** How many seconds lie between two deeds, about. */
  readonly everySeconds: number;
}

/** From so many minutes on a plan begins with one deed of each kind, and each must have been done. */
export const WHOLE_MINUTES = 5;

interface Kind {
  readonly name: string;
  readonly weight: number;
  /** `left`: milliseconds to the end. */
  readonly draw: (random: SeededRandom, left: number) => Action;
}

const KINDS: readonly Kind[] = [
  { name: 'kill a server', weight: 12, draw: (random) => kill(random, random.pick(SERVERS)) },
  { name: 'kill a worker', weight: 12, draw: (random) => kill(random, random.pick(WORKERS)) },
  { name: 'kill the processor', weight: 9, draw: (random) => kill(random, 'processor') },
  { name: 'kill PostgreSQL', weight: 8, draw: () => ({ act: 'kill', target: 'postgres', downMs: 0 }) },
  {
    name: 'kill a backend',
    weight: 4,
    draw: (random) => ({ act: 'kill backend', target: 'postgres', nth: random.below(40) }),
  },
  ...(['fast', 'immediate'] as const).map(
    (how): Kind => ({
      name: `restart PostgreSQL, ${how}`,
      weight: 2,
      draw: () => ({ act: 'restart', target: 'postgres', how }),
    }),
  ),
  { name: 'end a server', weight: 5, draw: (random) => ({ ...kill(random, random.pick(SERVERS)), act: 'term' }) },
  { name: 'end a worker', weight: 5, draw: (random) => ({ ...kill(random, random.pick(WORKERS)), act: 'term' }) },
  { name: 'end the processor', weight: 2, draw: (random) => ({ ...kill(random, 'processor'), act: 'term' }) },
  { name: 'stop a server', weight: 6, draw: (random) => stop(random, random.pick(SERVERS)) },
  { name: 'stop a worker', weight: 6, draw: (random) => stop(random, random.pick(WORKERS)) },
  { name: 'stop a server for longer than a lease', weight: 2, draw: (random, left) => stop(random, 'api-2', left) },
  {
    name: 'stop a worker for longer than a lease',
    weight: 2,
    draw: (random, left) => stop(random, random.pick(WORKERS), left),
  },
  {
    name: 'stop the processor',
    weight: 4,
    draw: (random) => ({ act: 'stop', target: 'processor', forMs: random.between(300, 5_000) }),
  },
  {
    name: 'stop PostgreSQL',
    weight: 3,
    draw: (random) => ({ act: 'stop', target: 'postgres', forMs: random.between(300, 4_000) }),
  },
  {
    name: 'cut connections',
    weight: 10,
    draw: (random) => ({ act: 'cut', target: 'postgres', share: random.pick([0.2, 0.5, 1]) }),
  },
  { name: 'faults of the processor', weight: 18, draw: (random) => faults(random) },
  ...(['hang', 'refuse', 'redirect', 'garbage', 'drip'] as const).map(
    (mood): Kind => ({
      name: `receivers: ${mood}`,
      weight: 2,
      draw: (random) => ({ act: 'mood', target: 'receivers', forMs: random.between(2_000, 15_000), mood }),
    }),
  ),
];

/** What a plan of at least WHOLE_MINUTES must have done, each at least once. */
export const KIND_NAMES = KINDS.map(({ name }) => name);

export function makePlan(seed: number, seconds: number, pace: Pace): readonly Planned[] {
  const random = new SeededRandom(seed, 'nemesis');
  const plan: Planned[] = [];
  const gap = pace.everySeconds * 1000;
  const end = seconds * 1000;
  const opening = seconds >= WHOLE_MINUTES * 60 ? shuffled(random, KINDS) : [];
  // However far apart the others are: the opening is over in good time.
  const openingGap = Math.min(gap, end / 2 / Math.max(1, opening.length));
  for (let at = 1_500; at < end; ) {
    const first = opening.shift();
    const kind = first ?? random.weighed(KINDS.map((one) => [one.weight, one] as const));
    plan.push({ at: Math.round(at), kind: kind.name, deed: kind.draw(random, end - at) });
    const between = first === undefined ? gap : openingGap;
    at += random.between(between * 0.3, between * 1.7);
  }
  return plan;
}

function shuffled<T>(random: SeededRandom, things: readonly T[]): T[] {
  const left = [...things];
  const drawn: T[] = [];
  while (left.length > 0) drawn.push(...left.splice(random.below(left.length), 1));
  return drawn;
}

function kill(random: SeededRandom, target: Target): Action & { readonly downMs: number } {
  return { act: 'kill', target, downMs: random.pick([0, 0, 300, 1_500, 4_000]) };
}

/** With `left`: for longer than a lease, where there is time for it. */
function stop(random: SeededRandom, target: Target, left = 0): Action {
  const long = left > LONGER_THAN_A_LEASE[1];
  return { act: 'stop', target, forMs: long ? random.between(...LONGER_THAN_A_LEASE) : random.between(300, 7_000) };
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

function faults(random: SeededRandom): Action {
  const rules = Array.from({ length: random.between(1, 3) }, (_, place) => ({
    id: `chaos_${place}`,
    on: random.pick(OPERATIONS),
    kind: random.pick([
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
    ms: random.pick([50, 400, 1_500, 4_000]),
    probability: random.pick([0.2, 0.5, 0.9]),
  }));
  const some = (): number => random.pick([0, 0, 0.3, 0.8]);
  const webhooks = { duplicate: some(), shuffle: some(), drop: some(), delay_ms: random.pick([0, 0, 500, 3_000]) };
  return { act: 'faults', target: 'processor', forMs: random.between(2_000, 9_000), settings: { rules, webhooks } };
}
