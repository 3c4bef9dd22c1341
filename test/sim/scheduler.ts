// The scheduler. Actors are async functions; each of their actions (a statement, a commit, a call to the processor, a
// wait) is queued here, and the scheduler runs one at a time, in an order drawn from the seed. An actor can be stopped
// or killed between any two actions, as a process can.

import { createHash } from 'node:crypto';
import type { MonotonicClock } from '../../src/base/clock.ts';
import type { SeededRandom } from '../support/seeded-random.ts';

/** An invariant did not hold. */
export class Violation extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'Violation';
  }
}

export class Actor {
  readonly name: string;
  /** Servers and workers can be killed and stopped; `external` actors, such as a guest's browser, cannot. */
  readonly kind: 'api' | 'worker' | 'delivery worker' | 'external';
  /** Milliseconds that its clock is ahead; negative if it is behind. */
  skew: number;
  isDead = false;
  isDone = false;
  stoppedUntil = 0;

  constructor(name: string, kind: Actor['kind'], skew: number) {
    this.name = name;
    this.kind = kind;
    this.skew = skew;
  }
}

/** An action that an actor waits for. */
export interface PendingAction {
  readonly actor: Actor;
  readonly label: () => string;
  readonly isReady?: () => boolean;
  /** The earliest time at which it may run. */
  readonly notBefore?: number;
  /** The actor is between two commands, and has no open work. */
  readonly isIdle?: boolean;
  /** Runs the action, after which the actor continues. */
  readonly run: () => Promise<void> | void;
}

export class Scheduler {
  now: number;
  step = 0;
  readonly pending: PendingAction[] = [];
  readonly actors: Actor[] = [];
  readonly trace: string[] = [];
  /** The first unexpected error of an actor. */
  failure: unknown = null;
  /** Draws the clock skew of a new actor. */
  drawSkew: () => number = () => 0;
  readonly #random: SeededRandom;
  readonly #hashed: string[] = [];
  readonly #start: number;

  constructor(random: SeededRandom, start: number) {
    this.#random = random;
    this.now = start;
    this.#start = start;
  }

  log(text: string): void {
    const line = `${this.step} +${((this.now - this.#start) / 1000).toFixed(3)} ${text}`;
    this.trace.push(line);
    this.#hashed.push(line, '\n');
  }

  /** Adds text to the hash of the run, but not to the trace. */
  addToHash(text: string): void {
    this.#hashed.push(text);
  }

  digest(): string {
    return createHash('sha256').update(this.#hashed.join('')).digest('hex');
  }

  startActor(name: string, kind: Actor['kind'], work: (actor: Actor) => Promise<void>): Actor {
    const actor = new Actor(name, kind, this.drawSkew());
    this.actors.push(actor);
    work(actor).then(
      () => {
        actor.isDone = true;
      },
      (error: unknown) => {
        actor.isDone = true;
        if (!actor.isDead) this.failure ??= error;
      },
    );
    return actor;
  }

  enqueue(action: PendingAction): void {
    if (!action.actor.isDead) this.pending.push(action);
  }

  remove(action: PendingAction): void {
    const index = this.pending.indexOf(action);
    if (index >= 0) this.pending.splice(index, 1);
  }

  /** Waits until the scheduler picks the actor, once `isReady` is true. */
  waitForStep(actor: Actor, label: string, isReady?: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const action: PendingAction = {
        actor,
        label: () => label,
        isIdle: true,
        run: () => resolve(),
        ...(isReady === undefined ? {} : { isReady }),
      };
      this.enqueue(action);
    });
  }

  runnableActions(): PendingAction[] {
    return this.pending.filter(
      ({ actor, isReady, notBefore = 0 }) =>
        !actor.isDead &&
        actor.stoppedUntil <= this.step &&
        notBefore <= this.now &&
        (isReady === undefined || isReady()),
    );
  }

  /** The earliest time of the actions that only wait for time to pass. */
  nextTimer(): number | null {
    const times = this.pending.flatMap(({ notBefore = 0 }) => (notBefore > this.now ? notBefore : []));
    return times.length === 0 ? null : Math.min(...times);
  }

  /** An actor's timers, which run with a random delay. */
  monotonicClockFor(actor: Actor, drawDelay: () => number): MonotonicClock {
    return {
      now: () => this.now,
      schedule: (ms, work) => {
        const action: PendingAction = {
          actor,
          label: () => 'wakes',
          notBefore: this.now + ms + drawDelay(),
          run: work,
        };
        this.enqueue(action);
        return () => this.remove(action);
      },
    };
  }

  /** Resolves when every actor that can continue has reached its next action. */
  untilIdle(): Promise<void> {
    return new Promise((resolve) => setImmediate(resolve));
  }

  async runOne(isReady: readonly PendingAction[]): Promise<void> {
    const action = this.#random.pick(isReady);
    this.remove(action);
    this.step++;
    this.log(`${action.actor.name}: ${action.label()}`);
    await action.run();
    await this.untilIdle();
    if (this.failure !== null) throw this.failure;
  }

  kill(actor: Actor): void {
    actor.isDead = true;
    for (let index = this.pending.length - 1; index >= 0; index--)
      if (this.pending[index]?.actor === actor) this.pending.splice(index, 1);
  }
}
