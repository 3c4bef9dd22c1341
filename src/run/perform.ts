// The one way in, second half: input → transaction → replay or run → commit. A command that runs twice under one
// Idempotency-Key happens once: its answer is kept in its own transaction, and whoever comes second is rolled back whole
// and given the first answer, byte for byte. That is safe because a command never calls the outside (rule 6).

import { createHash } from 'node:crypto';
import { isUnavailable, sqlState } from '../base/db.ts';
import { conflict, invalid, Problem } from '../base/errors.ts';
import { canonicalJson } from '../base/json/canonical.ts';
import type { JsonValue } from '../base/json/parse.ts';
import type { Answer, Command, Input, Intake, Judge, Operation, Reach } from '../base/operation.ts';
import type { Sender } from '../domain/hooks/receive.ts';
import { findKept, type KeptAnswer, type KeptUnder, keepAnswer } from '../domain/idempotency/stored-responses.ts';
import type { Caller } from '../domain/keys/caller.ts';
import type { Guest, Stranger } from '../domain/members/guest.ts';
import { ProcessorTrouble } from '../domain/payments/processor.ts';
import { checkInput, type Received } from './check-input.ts';
import type { House } from './context.ts';

export interface Reply {
  readonly status: number;
  readonly json: string;
  readonly replayed: boolean;
  /** Instead of the JSON: a page of CSV, and where the next one begins. */
  readonly csv?: { readonly text: string; readonly nextBefore: string | null };
}

class TakenMeanwhile extends Error {}

const LOCK_TIMEOUT = '55P03';

/** Calls under way on this server by their idempotency key: a twin waits here instead of holding a connection. */
type Underway = Map<string, Promise<unknown>>;

/** Whoever has the operator's token. */
export interface Operator {
  readonly isOperator: true;
}

/** A partner with a key, a signed-in member, a stranger, a venue system, or the operator. */
export type Visitor = Caller | Guest | Stranger | Sender | Operator;

export function isPartner(visitor: Visitor | null): visitor is Caller {
  return visitor !== null && 'venue' in visitor;
}

export type Perform = (operation: Operation<Caller>, visitor: Visitor | null, received: Received) => Promise<Reply>;

export function makePerform(house: House): Perform {
  const underway: Underway = new Map();
  return async (operation, visitor, received) => {
    const caller = isPartner(visitor) ? visitor : null;
    const intake = operation.intake as Intake<Visitor, House['money']> | undefined;
    if (intake !== undefined && visitor !== null) return taken(house, intake, visitor, received);
    const input = checkInput(house, operation, caller, received);
    const run = operation.run as Command<Caller> | undefined;
    const reach = operation.reach as Reach<Visitor, House['money']> | undefined;
    try {
      if (reach !== undefined && visitor !== null) return fresh(await reach(house.money, visitor, input));
      if (run === undefined || caller === null) throw notBuilt(input);
      if (operation.effect === 'read') return fresh(await run(house.db, caller, input));
      if (operation.inOneStatement === true) {
        const key = received.idempotencyKey ?? null;
        const fingerprint = fingerprintOf({ operation, input });
        return fresh(await run(house.db, caller, { ...input, once: { key, fingerprint } }));
      }
      const key = operation.idempotent === true ? received.idempotencyKey : undefined;
      if (key === undefined) {
        await judged(house, operation, input);
        return await house.db.transaction(async (tx) => fresh(await run(tx, caller, input)));
      }
      return await once(house, underway, { operation, run, caller, input, key });
    } catch (error) {
      throw toldToCaller(error);
    }
  };
}

/** As it came: what it holds is for the command to check. */
async function taken(
  house: House,
  intake: Intake<Visitor, House['money']>,
  visitor: Visitor,
  { body, headers = {} }: Received,
): Promise<Reply> {
  try {
    return fresh(await intake(house.money, visitor, { raw: body ?? Buffer.alloc(0), headers }));
  } catch (error) {
    throw toldToCaller(error);
  }
}

/** What only the outside knows is asked before there is a transaction. */
async function judged(house: House, operation: Operation<Caller>, input: Input): Promise<void> {
  const judge = operation.judge as Judge<House['money']> | undefined;
  const problems = judge === undefined ? [] : await judge(house.money, input);
  if (problems.length > 0) throw invalid(problems);
}

function notBuilt({ whenNew }: Input): Problem {
  return whenNew.length > 0 ? invalid(whenNew) : new Problem('not_implemented');
}

function fresh(answer: Answer): Reply {
  return {
    status: answer.status,
    json: answer.json ?? JSON.stringify(answer.body),
    replayed: answer.replayed === true,
    ...(answer.csv === undefined ? {} : { csv: { text: answer.csv, nextBefore: answer.nextBefore ?? null } }),
  };
}

interface Keyed {
  readonly operation: Operation<Caller>;
  readonly run: Command<Caller>;
  readonly caller: Caller;
  readonly input: Input;
  readonly key: string;
}

async function once(house: House, underway: Underway, call: Keyed): Promise<Reply> {
  const { venue, mode, now } = call.caller;
  const under: KeptUnder = { venueId: venue.id, mode, key: call.key, now };
  const name = `${under.venueId} ${under.mode} ${under.key}`;
  for (let twin = underway.get(name); twin !== undefined; twin = underway.get(name)) await twin;
  const mine = attempt(house, under, call);
  const settled = mine.then(
    () => undefined,
    () => undefined,
  );
  underway.set(name, settled);
  try {
    return await mine;
  } finally {
    underway.delete(name);
  }
}

async function attempt(house: House, under: KeptUnder, call: Keyed): Promise<Reply> {
  const fingerprint = fingerprintOf(call);
  const before = await findKept(house.db, house.seal, under);
  if (before !== null) return replay(before, fingerprint);
  await judged(house, call.operation, call.input);
  try {
    return await house.db.transaction(async (tx) => {
      const reply = fresh(await call.run(tx, call.caller, call.input));
      const kept = await keepAnswer(tx, house.seal, under, { fingerprint, status: reply.status, json: reply.json });
      if (!kept) throw new TakenMeanwhile();
      return reply;
    });
  } catch (error) {
    // Whatever failed, a twin on another server may have been first, and then its answer is the answer.
    const first = await findKept(house.db, house.seal, under);
    if (first !== null) return replay(first, fingerprint);
    if (sqlState(error) === LOCK_TIMEOUT) {
      throw conflict(
        'request_in_progress',
        'The first call with this Idempotency-Key is still running. Try again in a moment.',
      );
    }
    throw error;
  }
}

function replay(kept: KeptAnswer, fingerprint: Buffer): Reply {
  if (!kept.fingerprint.equals(fingerprint)) {
    throw conflict(
      'idempotency_key_reused',
      'This Idempotency-Key was used for another request. Use a new key for a new request.',
    );
  }
  return { status: kept.status, json: kept.json, replayed: true };
}

/** Of the operation, the path and the body's JSON values: member order, white space and 1.0 for 1 do not matter. */
function fingerprintOf(call: Pick<Keyed, 'operation' | 'input'>): Buffer {
  const whole = {
    operation: call.operation.id,
    params: call.input.params,
    body: (call.input.body ?? null) as JsonValue,
  };
  return createHash('sha256').update(canonicalJson(whole)).digest();
}

function toldToCaller(error: unknown): unknown {
  if (isUnavailable(error) || error instanceof ProcessorTrouble) {
    return new Problem('service_unavailable', { headers: { 'retry-after': '1' }, cause: error });
  }
  return error;
}
