// The two loops that bring events to the partners' endpoints. Dispatch: from the log to one delivery for each endpoint that
// wants it. Delivery: takes lanes whose time has come, healthy and failing ones apart, and gives each a turn of its own:
// a turn that takes long holds up no other.

import { type LaneParts, LEASE_MS, takeTurn } from './lane.ts';
import { dispatchEvents, takeLanes } from './queries.ts';

const HEALTHY = 64;
const FAILING = 16;
const LOOK_EVERY_MS = 250;
/** Turns that end at the same time ask once for what comes next. */
const PAUSE_MS = 10;

/** The explicit step of the worker. Answers how many events were dispatched. */
export async function dispatchDue({ db, clock }: Pick<LaneParts, 'db' | 'clock'>, batch: number): Promise<number> {
  return dispatchEvents(db, clock.now(), batch);
}

/** One turn for each lane that is due now. Answers how many attempts were made. */
export async function deliverDue(parts: LaneParts, signal: AbortSignal): Promise<number> {
  const now = parts.clock.now();
  const lanes = await takeLanes(parts.db, now, now + LEASE_MS, HEALTHY, FAILING);
  const made = await Promise.all(lanes.map((lane) => takeTurn(parts, lane, signal)));
  return made.reduce((sum, count) => sum + count, 0);
}

/** Until the worker stops, or the database is lost: then what is under way ends first. Answers how many attempts were made. */
export async function deliverUntilStopped(parts: LaneParts, signal: AbortSignal): Promise<number> {
  return new Turns(parts, signal).run();
}

class Turns {
  readonly #parts: LaneParts;
  readonly #signal: AbortSignal;
  readonly #running = { healthy: new Set<Promise<void>>(), failing: new Set<Promise<void>>() };
  #made = 0;
  #wake: (() => void) | null = null;

  constructor(parts: LaneParts, signal: AbortSignal) {
    this.#parts = parts;
    this.#signal = signal;
  }

  async run(): Promise<number> {
    const { healthy, failing } = this.#running;
    try {
      while (!this.#signal.aborted) {
        const taken = await this.#takeMore();
        await this.#pause(taken > 0 && healthy.size < HEALTHY ? PAUSE_MS : LOOK_EVERY_MS);
      }
    } finally {
      await Promise.all([...healthy, ...failing]);
    }
    return this.#made;
  }

  async #takeMore(): Promise<number> {
    const { db, clock, log } = this.#parts;
    const { healthy, failing } = this.#running;
    if (healthy.size >= HEALTHY && failing.size >= FAILING) return 0;
    const now = clock.now();
    const lanes = await takeLanes(db, now, now + LEASE_MS, HEALTHY - healthy.size, FAILING - failing.size);
    for (const lane of lanes) {
      const kind = lane.failures === 0 ? healthy : failing;
      const turn: Promise<void> = takeTurn(this.#parts, lane, this.#signal)
        .then((made) => {
          this.#made += made;
        })
        .catch((error: unknown) => {
          log.error({ endpoint: lane.endpointId, err: error }, 'a turn was broken off; its deliveries stay due');
        })
        .finally(() => {
          kind.delete(turn);
          this.#wake?.();
        });
      kind.add(turn);
    }
    return lanes.length;
  }

  /** Or until a turn ends, and a moment for others that end with it. */
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
