// The plan of the nemesis: which action at which target at which time, drawn from the seed before the run begins. A
// seed always gives the same plan.

import { SeededRandom } from '../support/seeded-random.ts';
import type { ReceiverBehavior } from './receivers.ts';

export type Target = 'api-1' | 'api-2' | 'worker-1' | 'worker-2' | 'processor' | 'postgres' | 'receivers';

export type Action =
  /** SIGKILL; the process is started again after `downMs`. */
  | { readonly act: 'kill'; readonly target: Target; readonly downMs: number }
  | { readonly act: 'term'; readonly target: Target; readonly downMs: number }
  /** SIGSTOP, and SIGCONT after `forMs`. */
  | { readonly act: 'stop'; readonly target: Target; readonly forMs: number }
  /** pg_ctl restart: `fast` rolls back open transactions first, `immediate` leaves that to recovery. */
  | { readonly act: 'restart'; readonly target: 'postgres'; readonly how: 'fast' | 'immediate' }
  /** SIGKILL of one backend: PostgreSQL closes all connections and recovers. */
  | { readonly act: 'kill backend'; readonly target: 'postgres'; readonly nth: number }
  /** pg_terminate_backend for some of the connections. */
  | { readonly act: 'cut'; readonly target: 'postgres'; readonly fraction: number }
  /** All partners' servers misbehave in one way. */
  | {
      readonly act: 'receiver behavior';
      readonly target: 'receivers';
      readonly forMs: number;
      readonly behavior: ReceiverBehavior;
    }
  | { readonly act: 'faults'; readonly target: 'processor'; readonly forMs: number; readonly settings: unknown }
  /** Every venue's account is paid out again and again, so that a reversal finds no funds. */
  | { readonly act: 'pay out'; readonly target: 'processor'; readonly forMs: number };

export interface PlannedAction {
  /** Milliseconds since the beginning of the plan. */
  readonly at: number;
  /** The name of one of KINDS. */
  readonly kind: string;
  readonly action: Action;
}

const SERVERS = ['api-1', 'api-2'] as const;
const WORKERS = ['worker-1', 'worker-2'] as const;
/** Longer than the program's leases (60 s): a process that continues after that holds only stale leases. */
const LONG_STOP_MS = [62_000, 72_000] as const;

export interface Pace {
  /** Approximate seconds between two actions. */
  readonly everySeconds: number;
  readonly hasPatroni: boolean;
}

/** A plan of at least this length begins with one action of each kind, and each must succeed. */
export const FULL_PLAN_MINUTES = 5;

interface ActionKind {
  readonly name: string;
  readonly weight: number;
  /** `leftMs`: milliseconds to the end of the plan. */
  readonly draw: (random: SeededRandom, leftMs: number) => Action;
}

/** Of one PostgreSQL, or of one with a standby. A Patroni cluster has faults of its own (patroni/leader-faults.ts). */
const WITHOUT_PATRONI: ReadonlySet<string> = new Set([
  'kill PostgreSQL',
  'restart PostgreSQL, fast',
  'restart PostgreSQL, immediate',
  'stop PostgreSQL',
]);

const KINDS: readonly ActionKind[] = [
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
    (how): ActionKind => ({
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
  { name: 'stop a server for longer than a lease', weight: 2, draw: (random, leftMs) => stop(random, 'api-2', leftMs) },
  {
    name: 'stop a worker for longer than a lease',
    weight: 2,
    draw: (random, leftMs) => stop(random, random.pick(WORKERS), leftMs),
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
    draw: (random) => ({ act: 'cut', target: 'postgres', fraction: random.pick([0.2, 0.5, 1]) }),
  },
  { name: 'faults of the processor', weight: 18, draw: (random) => processorFaults(random) },
  { name: 'refusals of the processor', weight: 4, draw: (random) => processorRefusals(random) },
  {
    name: 'pay the accounts out',
    weight: 8,
    draw: (random) => ({ act: 'pay out', target: 'processor', forMs: random.between(8_000, 25_000) }),
  },
  ...(['hang', 'refuse', 'redirect', 'garbage', 'drip'] as const).map(
    (behavior): ActionKind => ({
      name: `receivers: ${behavior}`,
      weight: 2,
      draw: (random) => ({
        act: 'receiver behavior',
        target: 'receivers',
        forMs: random.between(2_000, 15_000),
        behavior,
      }),
    }),
  ),
];

function kindsOf(hasPatroni: boolean): readonly ActionKind[] {
  return hasPatroni ? KINDS.filter(({ name }) => !WITHOUT_PATRONI.has(name)) : KINDS;
}

/** The kinds of which a run of at least FULL_PLAN_MINUTES must have done each at least once. */
export function kindNames(hasPatroni: boolean): readonly string[] {
  return kindsOf(hasPatroni).map(({ name }) => name);
}

export function makePlan(seed: number, seconds: number, pace: Pace): readonly PlannedAction[] {
  const random = new SeededRandom(seed, 'nemesis');
  const kinds = kindsOf(pace.hasPatroni);
  const plan: PlannedAction[] = [];
  const gap = pace.everySeconds * 1000;
  const end = seconds * 1000;
  const opening = seconds >= FULL_PLAN_MINUTES * 60 ? shuffled(random, kinds) : [];
  // The opening ends before half of the time, however rare the later actions are.
  const openingGap = Math.min(gap, end / 2 / Math.max(1, opening.length));
  for (let at = 1_500; at < end; ) {
    const first = opening.shift();
    const kind = first ?? random.weighed(kinds.map((each) => [each.weight, each] as const));
    plan.push({ at: Math.round(at), kind: kind.name, action: kind.draw(random, end - at) });
    const between = first === undefined ? gap : openingGap;
    at += random.between(between * 0.3, between * 1.7);
  }
  return plan;
}

function shuffled<T>(random: SeededRandom, items: readonly T[]): T[] {
  const left = [...items];
  const drawn: T[] = [];
  while (left.length > 0) drawn.push(...left.splice(random.below(left.length), 1));
  return drawn;
}

function kill(random: SeededRandom, target: Target): Action & { readonly downMs: number } {
  return { act: 'kill', target, downMs: random.pick([0, 0, 300, 1_500, 4_000]) };
}

/** Longer than a lease if `leftMs` is long enough for that. */
function stop(random: SeededRandom, target: Target, leftMs = 0): Action {
  const isLong = leftMs > LONG_STOP_MS[1];
  return { act: 'stop', target, forMs: isLong ? random.between(...LONG_STOP_MS) : random.between(300, 7_000) };
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

function processorFaults(random: SeededRandom): Action {
  const rules = Array.from({ length: random.between(1, 3) }, (_, index) => ({
    id: `chaos_${index}`,
    on: random.pick(OPERATIONS),
    kind: random.pick([
      'slow',
      'timeout_before',
      'timeout_after',
      'timeout_after',
      'rate_limited',
      'error_500',
      'error_500_rolled_back',
      'error_500_after',
      'error_500_after',
      'drop_connection',
    ]),
    ms: random.pick([50, 400, 1_500, 4_000]),
    probability: random.pick([0.2, 0.5, 0.9]),
  }));
  const drawRate = (): number => random.pick([0, 0, 0.3, 0.8]);
  const webhooks = {
    duplicate: drawRate(),
    shuffle: drawRate(),
    drop: drawRate(),
    delay_ms: random.pick([0, 0, 500, 3_000]),
  };
  return { act: 'faults', target: 'processor', forMs: random.between(2_000, 9_000), settings: { rules, webhooks } };
}

/** Guests' calls are not refused so: a guest may take such a refusal as final. */
const REFUSED_OPERATIONS = [
  'payment_intents.capture',
  'payment_intents.cancel',
  'refunds.create',
  'transfers.create',
  'transfer_reversals.create',
];

function processorRefusals(random: SeededRandom): Action {
  const probability = random.pick([0.3, 0.7, 1]);
  const rules = REFUSED_OPERATIONS.map((on) => ({ id: `refusal ${on}`, on, kind: 'refused_for_now', probability }));
  return { act: 'faults', target: 'processor', forMs: random.between(2_000, 6_000), settings: { rules } };
}
