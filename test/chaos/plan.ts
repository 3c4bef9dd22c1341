// The nemesis's plan: what is done to whom and when, all of it from the seed, before anything begins. How the processes
// answer to it is their own affair; the plan of a seed is always the same.

import { Chance } from '../support/seeded-random.ts';
import type { Mood } from './receivers.ts';

export type Target = 'api-1' | 'api-2' | 'worker-1' | 'worker-2' | 'processor' | 'postgres' | 'receivers';

export type Deed =
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

/** From so many minutes on a plan begins with one deed of each kind, and each must have been done. */
export const WHOLE_MINUTES = 5;

interface Kind {
  readonly name: string;
  readonly weight: number;
  /** `left`: milliseconds to the end. */
  readonly draw: (chance: Chance, left: number) => Deed;
}

const KINDS: readonly Kind[] = [
  { name: 'kill a server', weight: 12, draw: (chance) => kill(chance, chance.pick(SERVERS)) },
  { name: 'kill a worker', weight: 12, draw: (chance) => kill(chance, chance.pick(WORKERS)) },
  { name: 'kill the processor', weight: 9, draw: (chance) => kill(chance, 'processor') },
  { name: 'kill PostgreSQL', weight: 8, draw: () => ({ act: 'kill', target: 'postgres', downMs: 0 }) },
  {
    name: 'kill a backend',
    weight: 4,
    draw: (chance) => ({ act: 'kill backend', target: 'postgres', nth: chance.below(40) }),
  },
  ...(['fast', 'immediate'] as const).map(
    (how): Kind => ({
      name: `restart PostgreSQL, ${how}`,
      weight: 2,
      draw: () => ({ act: 'restart', target: 'postgres', how }),
    }),
  ),
  { name: 'end a server', weight: 5, draw: (chance) => ({ ...kill(chance, chance.pick(SERVERS)), act: 'term' }) },
  { name: 'end a worker', weight: 5, draw: (chance) => ({ ...kill(chance, chance.pick(WORKERS)), act: 'term' }) },
  { name: 'end the processor', weight: 2, draw: (chance) => ({ ...kill(chance, 'processor'), act: 'term' }) },
  { name: 'stop a server', weight: 6, draw: (chance) => stop(chance, chance.pick(SERVERS)) },
  { name: 'stop a worker', weight: 6, draw: (chance) => stop(chance, chance.pick(WORKERS)) },
  { name: 'stop a server for longer than a lease', weight: 2, draw: (chance, left) => stop(chance, 'api-2', left) },
  {
    name: 'stop a worker for longer than a lease',
    weight: 2,
    draw: (chance, left) => stop(chance, chance.pick(WORKERS), left),
  },
  {
    name: 'stop the processor',
    weight: 4,
    draw: (chance) => ({ act: 'stop', target: 'processor', forMs: chance.between(300, 5_000) }),
  },
  {
    name: 'stop PostgreSQL',
    weight: 3,
    draw: (chance) => ({ act: 'stop', target: 'postgres', forMs: chance.between(300, 4_000) }),
  },
  {
    name: 'cut connections',
    weight: 10,
    draw: (chance) => ({ act: 'cut', target: 'postgres', share: chance.pick([0.2, 0.5, 1]) }),
  },
  { name: 'faults of the processor', weight: 18, draw: (chance) => faults(chance) },
  ...(['hang', 'refuse', 'redirect', 'garbage', 'drip'] as const).map(
    (mood): Kind => ({
      name: `receivers: ${mood}`,
      weight: 2,
      draw: (chance) => ({ act: 'mood', target: 'receivers', forMs: chance.between(2_000, 15_000), mood }),
    }),
  ),
];

/** What a plan of at least WHOLE_MINUTES must have done, each at least once. */
export const KIND_NAMES = KINDS.map(({ name }) => name);

export function makePlan(seed: number, seconds: number, pace: Pace): readonly Planned[] {
  const chance = new Chance(seed, 'nemesis');
  const plan: Planned[] = [];
  const gap = pace.everySeconds * 1000;
  const end = seconds * 1000;
  const opening = seconds >= WHOLE_MINUTES * 60 ? shuffled(chance, KINDS) : [];
  // However far apart the others are: the opening is over in good time.
  const openingGap = Math.min(gap, end / 2 / Math.max(1, opening.length));
  for (let at = 1_500; at < end; ) {
    const first = opening.shift();
    const kind = first ?? chance.weighed(KINDS.map((one) => [one.weight, one] as const));
    plan.push({ at: Math.round(at), kind: kind.name, deed: kind.draw(chance, end - at) });
    const between = first === undefined ? gap : openingGap;
    at += chance.between(between * 0.3, between * 1.7);
  }
  return plan;
}

function shuffled<T>(chance: Chance, things: readonly T[]): T[] {
  const left = [...things];
  const drawn: T[] = [];
  while (left.length > 0) drawn.push(...left.splice(chance.below(left.length), 1));
  return drawn;
}

function kill(chance: Chance, target: Target): Deed & { readonly downMs: number } {
  return { act: 'kill', target, downMs: chance.pick([0, 0, 300, 1_500, 4_000]) };
}

/** With `left`: for longer than a lease, where there is time for it. */
function stop(chance: Chance, target: Target, left = 0): Deed {
  const long = left > LONGER_THAN_A_LEASE[1];
  return { act: 'stop', target, forMs: long ? chance.between(...LONGER_THAN_A_LEASE) : chance.between(300, 7_000) };
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
