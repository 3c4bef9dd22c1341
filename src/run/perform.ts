// The one way in, second half: input → transaction → replay or run → commit. A command that runs twice under one
// Idempotency-Key happens once: its answer is kept in its own transaction, and whoever comes second is rolled back whole
// and given the first answer, byte for byte. That is safe because a command never calls the outside (rule 6).

import { createHash } from 'node:crypto';
import { isUnavailable, sqlState } from '../base/db.ts';
import { conflict, invalid, Problem } from '../base/errors.ts';
import { canonicalJson } from '../base/json/canonical.ts';
import type { JsonValue } from '../base/json/parse.ts';
import type {
  Command,
  ExternalCheck,
  ExternalCommand,
  Input,
  IntakeCommand,
  Operation,
  OperationResult,
} from '../base/operation.ts';
import type { IntegrationCaller } from '../domain/hooks/receive.ts';
import {
  findStoredResponse,
  type ResponseKey,
  type StoredResponse,
  storeResponse,
} from '../domain/idempotency/stored-responses.ts';
import type { Caller } from '../domain/keys/caller.ts';
import type { AnonymousCaller, Guest } from '../domain/members/guest.ts';
import { ProcessorUnavailable } from '../domain/payments/processor.ts';
import { checkInput, type RequestInput } from './check-input.ts';
import type { AppContext } from './context.ts';

export interface HttpReply {
  readonly status: number;
  readonly json: string;
  readonly replayed: boolean;
  /** Instead of the JSON: a page of CSV, and where the next one begins. */
  readonly csv?: { readonly text: string; readonly nextBefore: string | null };
}

class IdempotencyKeyTaken extends Error {}

const LOCK_TIMEOUT = '55P03';

/** Calls under way on this server by their idempotency key: a twin waits here instead of holding a connection. */
type CallsInFlight = Map<string, Promise<unknown>>;

/** Whoever has the operator's token. */
export interface Operator {
  readonly isOperator: true;
}

/** A partner with a key, a signed-in member, a stranger, a venue system, or the operator. */
export type Principal = Caller | Guest | AnonymousCaller | IntegrationCaller | Operator;

export function isPartner(principal: Principal | null): principal is Caller {
  return principal !== null && 'venue' in principal;
}

export type Perform = (
  operation: Operation<Caller>,
  principal: Principal | null,
  received: RequestInput,
) => Promise<HttpReply>;

export function makePerform(context: AppContext): Perform {
  const underway: CallsInFlight = new Map();
  return async (operation, principal, received) => {
    const caller = isPartner(principal) ? principal : null;
    const intake = operation.intake as IntakeCommand<Principal, AppContext['services']> | undefined;
    if (intake !== undefined && principal !== null) return performIntake(context, intake, principal, received);
    const input = checkInput(context, operation, caller, received);
    const run = operation.run as Command<Caller> | undefined;
    const reach = operation.callExternal as ExternalCommand<Principal, AppContext['services']> | undefined;
    try {
      if (reach !== undefined && principal !== null) return replyOf(await reach(context.services, principal, input));
      if (run === undefined || caller === null) throw notImplemented(input);
      if (operation.effect === 'read') return replyOf(await run(context.db, caller, input));
      if (operation.inOneStatement === true) {
        const key = received.idempotencyKey ?? null;
        const fingerprint = fingerprintOf({ operation, input });
        return replyOf(await run(context.db, caller, { ...input, idempotency: { key, fingerprint } }));
      }
      const key = operation.idempotent === true ? received.idempotencyKey : undefined;
      if (key === undefined) {
        await runExternalCheck(context, operation, input);
        return await context.db.transaction(async (tx) => replyOf(await run(tx, caller, input)));
      }
      return await performOnce(context, underway, { operation, run, caller, input, key });
    } catch (error) {
      throw toCallerError(error);
    }
  };
}

/** As it came: what it holds is for the command to check. */
async function performIntake(
  context: AppContext,
  intake: IntakeCommand<Principal, AppContext['services']>,
  principal: Principal,
  { body, headers = {} }: RequestInput,
): Promise<HttpReply> {
  try {
    return replyOf(await intake(context.services, principal, { raw: body ?? Buffer.alloc(0), headers }));
  } catch (error) {
    throw toCallerError(error);
  }
}

/** What only the outside knows is asked before there is a transaction. */
async function runExternalCheck(context: AppContext, operation: Operation<Caller>, input: Input): Promise<void> {
  const judge = operation.check as ExternalCheck<AppContext['services']> | undefined;
  const problems = judge === undefined ? [] : await judge(context.services, input);
  if (problems.length > 0) throw invalid(problems);
}

function notImplemented({ whenNew }: Input): Problem {
  return whenNew.length > 0 ? invalid(whenNew) : new Problem('not_implemented');
}

function replyOf(answer: OperationResult): HttpReply {
  return {
    status: answer.status,
    json: answer.json ?? JSON.stringify(answer.body),
    replayed: answer.replayed === true,
    ...(answer.csv === undefined ? {} : { csv: { text: answer.csv, nextBefore: answer.nextBefore ?? null } }),
  };
}

interface IdempotentCall {
  readonly operation: Operation<Caller>;
  readonly run: Command<Caller>;
  readonly caller: Caller;
  readonly input: Input;
  readonly key: string;
}

async function performOnce(context: AppContext, underway: CallsInFlight, call: IdempotentCall): Promise<HttpReply> {
  const { venue, mode, now } = call.caller;
  const under: ResponseKey = { venueId: venue.id, mode, key: call.key, now };
  const name = `${under.venueId} ${under.mode} ${under.key}`;
  for (let twin = underway.get(name); twin !== undefined; twin = underway.get(name)) await twin;
  const mine = performStoringResponse(context, under, call);
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

async function performStoringResponse(
  context: AppContext,
  under: ResponseKey,
  call: IdempotentCall,
): Promise<HttpReply> {
  const fingerprint = fingerprintOf(call);
  const before = await findStoredResponse(context.db, context.seal, under);
  if (before !== null) return replay(before, fingerprint);
  await runExternalCheck(context, call.operation, call.input);
  try {
    return await context.db.transaction(async (tx) => {
      const reply = replyOf(await call.run(tx, call.caller, call.input));
      const kept = await storeResponse(tx, context.seal, under, {
        fingerprint,
        status: reply.status,
        json: reply.json,
      });
      if (!kept) throw new IdempotencyKeyTaken();
      return reply;
    });
  } catch (error) {
    // Whatever failed, a twin on another server may have been first, and then its answer is the answer.
    const first = await findStoredResponse(context.db, context.seal, under);
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

function replay(kept: StoredResponse, fingerprint: Buffer): HttpReply {
  if (!kept.fingerprint.equals(fingerprint)) {
    throw conflict(
      'idempotency_key_reused',
      'This Idempotency-Key was used for another request. Use a new key for a new request.',
    );
  }
  return { status: kept.status, json: kept.json, replayed: true };
}

/** Of the operation, the path and the body's JSON values: member order, white space and 1.0 for 1 do not matter. */
function fingerprintOf(call: Pick<IdempotentCall, 'operation' | 'input'>): Buffer {
  const whole = {
    operation: call.operation.id,
    params: call.input.params,
    body: (call.input.body ?? null) as JsonValue,
  };
  return createHash('sha256').update(canonicalJson(whole)).digest();
}

function toCallerError(error: unknown): unknown {
  if (isUnavailable(error) || error instanceof ProcessorUnavailable) {
    return new Problem('service_unavailable', { headers: { 'retry-after': '1' }, cause: error });
  }
  return error;
}
