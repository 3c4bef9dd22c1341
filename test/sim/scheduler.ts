// The scheduler: actors are plain async functions; whatever they ask of the outside (a statement, a commit, a call to the
// bank, their next turn) waits here until it is picked, one at a time, by chance from the seed. An actor can be stopped, or
// killed for good between any two of these, as a process can.

import { createHash } from 'node:crypto';
import type { Stopwatch } from '../../src/base/clock.ts';
import type { Chance } from '../support/seeded-random.ts';

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
export interface Wish {
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
  readonly wishes: Wish[] = [];
  readonly actors: Actor[] = [];
  readonly lines: string[] = [];
  /** The first mistake of an actor that must make none. */
  failure: unknown = null;
  /** How wrong the clock of a process is that begins now. */
  drawSkew: () => number = () => 0;
  readonly #chance: Chance;
  readonly #marks: string[] = [];
  readonly #start: number;

  constructor(chance: Chance, start: number) {
    this.#chance = chance;
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

  wish(wish: Wish): void {
    if (!wish.actor.dead) this.wishes.push(wish);
  }

  withdraw(wish: Wish): void {
    const at = this.wishes.indexOf(wish);
    if (at >= 0) this.wishes.splice(at, 1);
  }

  /** The actor's next turn, or a turn once something is so. */
  turn(actor: Actor, label: string, ready?: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const wish: Wish = {
        actor,
        label: () => label,
        isIdle: true,
        grant: () => resolve(),
        ...(ready === undefined ? {} : { ready }),
      };
      this.wish(wish);
    });
  }

  candidates(): Wish[] {
    return this.wishes.filter(
      ({ actor, ready, at = 0 }) =>
        !actor.dead && actor.stoppedUntil <= this.step && at <= this.now && (ready === undefined || ready()),
    );
  }

  /** When the next of those comes who only wait for time to pass. */
  nextTimer(): number | null {
    const times = this.wishes.flatMap(({ at = 0 }) => (at > this.now ? at : []));
    return times.length === 0 ? null : Math.min(...times);
  }

  /** Time as an actor sees it pass; nobody is woken to the moment. */
  stopwatchFor(actor: Actor, late: () => number): Stopwatch {
    return {
      now: () => this.now,
      after: (ms, work) => {
        const wish: Wish = { actor, label: () => 'wakes', at: this.now + ms + late(), grant: work };
        this.wish(wish);
        return () => this.withdraw(wish);
      },
    };
  }

  /** Everybody who can go on has come to their next wish. */
  rest(): Promise<void> {
    return new Promise((resolve) => setImmediate(resolve));
  }

  async grantOne(wishes: readonly Wish[]): Promise<void> {
    const wish = this.#chance.pick(wishes);
    this.withdraw(wish);
    this.step++;
    this.note(`${wish.actor.name}: ${wish.label()}`);
    await wish.grant();
    await this.rest();
    if (this.failure !== null) throw this.failure;
  }

  kill(actor: Actor): void {
    actor.dead = true;
    for (let at = this.wishes.length - 1; at >= 0; at--)
      if (this.wishes[at]?.actor === actor) this.wishes.splice(at, 1);
  }
}
