// The scheduler: actors are plain async functions; whatever they ask of the outside (a statement, a commit, a call to the
// bank, their next turn) waits here until it is picked, one at a time, by chance from the seed. An actor can be stopped, or
// killed for good between any two of these, as a process can.

import { createHash } from 'node:crypto';
import type { MonotonicClock } from '../../src/base/clock.ts';
import type { SeededRandom } from '../support/seeded-random.ts';

/** What must always hold did not. */
export class Violation extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'Violation';
  }
}

export class Actor {
  readonly name: string;
  /** A server, a worker or a postman (a worker that brings events) can be killed and stopped; a guest's phone is not ours. */
  readonly kind: 'api' | 'worker' | 'postman' | 'outside';
  /** How far its clock is ahead, in milliseconds; below zero: behind. */
  skew: number;
  dead = false;
  done = false;
  stoppedUntil = 0;

  constructor(name: string, kind: Actor['kind'], skew: number) {
    this.name = name;
    this.kind = kind;
    this.skew = skew;
  }
}

/** Something that an actor waits for. */
export interface PendingAction {
  readonly actor: Actor;
  readonly label: () => string;
  readonly ready?: () => boolean;
  /** Not before this time. */
  readonly at?: number;
  /** The actor is between two things: nothing that it began is open. */
  readonly isIdle?: boolean;
  /** Does it, and lets the actor go on. */
  readonly grant: () => Promise<void> | void;
}

export class Scheduler {
  now: number;
  step = 0;
  readonly pending: PendingAction[] = [];
  readonly actors: Actor[] = [];
  readonly lines: string[] = [];
  /** The first mistake of an actor that must make none. */
  failure: unknown = null;
  /** How wrong the clock of a process is that begins now. */
  drawSkew: () => number = () => 0;
  readonly #random: SeededRandom;
  readonly #marks: string[] = [];
  readonly #start: number;

  constructor(random: SeededRandom, start: number) {
    this.#random = random;
    this.now = start;
    this.#start = start;
  }

  note(text: string): void {
    const line = `${this.step} +${((this.now - this.#start) / 1000).toFixed(3)} ${text}`;
    this.lines.push(line);
    this.#marks.push(line, '\n');
  }

  /** Goes into the hash of the run and not into what people read. */
  mark(text: string): void {
    this.#marks.push(text);
  }

  digest(): string {
    return createHash('sha256').update(this.#marks.join('')).digest('hex');
  }

  begin(name: string, kind: Actor['kind'], work: (actor: Actor) => Promise<void>): Actor {
    const actor = new Actor(name, kind, this.drawSkew());
    this.actors.push(actor);
    work(actor).then(
      () => {
        actor.done = true;
      },
      (error: unknown) => {
        actor.done = true;
        if (!actor.dead) this.failure ??= error;
      },
    );
    return actor;
  }

  enqueue(action: PendingAction): void {
    if (!action.actor.dead) this.pending.push(action);
  }

  withdraw(action: PendingAction): void {
    const at = this.pending.indexOf(action);
    if (at >= 0) this.pending.splice(at, 1);
  }

  /** The actor's next turn, or a turn once something is so. */
  turn(actor: Actor, label: string, ready?: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const action: PendingAction = {
        actor,
        label: () => label,
        isIdle: true,
        grant: () => resolve(),
        ...(ready === undefined ? {} : { ready }),
      };
      this.enqueue(action);
    });
  }

  candidates(): PendingAction[] {
    return this.pending.filter(
      ({ actor, ready, at = 0 }) =>
        !actor.dead && actor.stoppedUntil <= this.step && at <= this.now && (ready === undefined || ready()),
    );
  }

  /** When the next of those comes who only wait for time to pass. */
  nextTimer(): number | null {
    const times = this.pending.flatMap(({ at = 0 }) => (at > this.now ? at : []));
    return times.length === 0 ? null : Math.min(...times);
  }

  /** Time as an actor sees it pass; nobody is woken to the moment. */
  monotonicClockFor(actor: Actor, late: () => number): MonotonicClock {
    return {
      now: () => this.now,
      schedule: (ms, work) => {
        const action: PendingAction = { actor, label: () => 'wakes', at: this.now + ms + late(), grant: work };
        this.enqueue(action);
        return () => this.withdraw(action);
      },
    };
  }

  /** Everybody who can go on has come to their next action. */
  rest(): Promise<void> {
    return new Promise((resolve) => setImmediate(resolve));
  }

  async grantOne(ready: readonly PendingAction[]): Promise<void> {
    const action = this.#random.pick(ready);
    this.withdraw(action);
    this.step++;
    this.note(`${action.actor.name}: ${action.label()}`);
    await action.grant();
    await this.rest();
    if (this.failure !== null) throw this.failure;
  }

  kill(actor: Actor): void {
    actor.dead = true;
    for (let at = this.pending.length - 1; at >= 0; at--)
      if (this.pending[at]?.actor === actor) this.pending.splice(at, 1);
  }
}
