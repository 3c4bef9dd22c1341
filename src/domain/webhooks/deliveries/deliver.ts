// The two loops that bring events to the partners' endpoints. Dispatch: from the log to one delivery for each endpoint that
// wants it. Delivery: takes lanes whose time has come, each into a place of its pace, and gives each a turn of its own: a
// turn that takes long holds up no other, and one that turns out slow gives its place back.

import { LEASE_MS, processQueue, type QueueServices } from './endpoint-queue.ts';
import { claimQueues, dispatchEvents, type EndpointQueue } from './queries.ts';
import { PACES, type Pace } from './schedule.ts';

/** Turns at once in a worker. */
const PLACES: Readonly<Record<Pace, number>> = { quick: 64, slow: 32, failing: 16, dead: 16 };
const LOOK_EVERY_MS = 250;
/** Turns that end at the same time ask once for what comes next. */
const PAUSE_MS = 10;

/** The explicit step of the worker. Answers how many events were dispatched. */
export async function dispatchDue(
  { db, clock, dispatchSignal: signal }: Pick<QueueServices, 'db' | 'clock' | 'dispatchSignal'>,
  batch: number,
): Promise<number> {
  const taken = await dispatchEvents(db, clock.now(), batch);
  if (taken > 0) signal?.notify();
  return taken;
}

/** One turn for each lane that is due now. Answers how many attempts were made. */
export async function deliverDue(services: QueueServices, signal: AbortSignal): Promise<number> {
  const now = services.clock.now();
  const lanes = await claimQueues(services.db, now, now + LEASE_MS, PLACES);
  const made = await Promise.all(lanes.map((lane) => processQueue(services, lane, signal)));
  return made.reduce((sum, count) => sum + count, 0);
}

/** Until the worker stops, or the database is lost: then what is under way ends first. Answers how many attempts were made. */
export async function deliverUntilStopped(services: QueueServices, signal: AbortSignal): Promise<number> {
  return new Turns(services, signal).run();
}

interface Turn {
  pace: Pace;
  readonly over: Promise<void>;
}

class Turns {
  readonly #parts: QueueServices;
  readonly #signal: AbortSignal;
  readonly #running = new Set<Turn>();
  readonly #taken: Record<Pace, number> = { quick: 0, slow: 0, failing: 0, dead: 0 };
  #made = 0;
  /** Since the last look. */
  #rung = false;
  #wake: (() => void) | null = null;

  constructor(services: QueueServices, signal: AbortSignal) {
    this.#parts = services;
    this.#signal = signal;
  }

  async run(): Promise<number> {
    this.#parts.dispatchSignal?.subscribe(() => {
      this.#rung = true;
      this.#wake?.();
    });
    try {
      while (!this.#signal.aborted) {
        this.#rung = false;
        const begun = await this.#takeMore();
        const soon = this.#rung || (begun > 0 && this.#taken.quick < PLACES.quick);
        await this.#pause(soon ? PAUSE_MS : LOOK_EVERY_MS);
      }
    } finally {
      this.#parts.dispatchSignal?.subscribe(null);
      await Promise.all([...this.#running].map(({ over }) => over));
    }
    return this.#made;
  }

  async #takeMore(): Promise<number> {
    const { db, clock } = this.#parts;
    const free = { ...PLACES };
    for (const pace of PACES) free[pace] -= this.#taken[pace];
    if (PACES.every((pace) => free[pace] <= 0)) return 0;
    const now = clock.now();
    const lanes = await claimQueues(db, now, now + LEASE_MS, free);
    for (const lane of lanes) this.#begin(lane);
    return lanes.length;
  }

  #begin(lane: EndpointQueue): void {
    const { pace } = lane;
    const over = processQueue(this.#parts, lane, this.#signal, () => this.#makeRoom(turn))
      .then((made) => {
        this.#made += made;
      })
      .catch((error: unknown) => {
        this.#parts.log.error(
          { endpoint: lane.endpointId, err: error },
          'a turn was broken off; its deliveries stay due',
        );
      })
      .finally(() => {
        this.#running.delete(turn);
        this.#taken[turn.pace] -= 1;
        this.#wake?.();
      });
    const turn: Turn = { pace, over };
    this.#running.add(turn);
    this.#taken[pace] += 1;
  }

  /** It has turned out slow: it goes on among the slow, as long as there is room for it. */
  #makeRoom(turn: Turn): void {
    if (turn.pace !== 'quick' || this.#taken.slow >= PLACES.slow) return;
    this.#taken.quick -= 1;
    this.#taken.slow += 1;
    turn.pace = 'slow';
    this.#wake?.();
  }

  /** Or until a turn ends or the bell rings, and a moment for others that end with it. */
  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const finish = (): void => {
        clearTimeout(timer);
        this.#signal.removeEventListener('abort', finish);
        this.#wake = null;
        resolve();
      };
      const timer = setTimeout(finish, ms);
      this.#wake = () => void setTimeout(finish, PAUSE_MS);
      this.#signal.addEventListener('abort', finish);
    });
  }
}
