// The second half of a request: input → transaction → replay or run → commit. Two calls with one Idempotency-Key have
// one effect: the response is stored in the transaction of the command, and the second call is rolled back and answered
// with the stored response, byte for byte. That is safe because of the rule "One request is one transaction, with no
// call to the outside inside it" (docs/ARCHITECTURE.md).

import { createHash } from 'node:crypto';
import { sqlState } from '../base/db.ts';
import { conflict, invalid, type Problem } from '../base/errors.ts';
import { canonicalJson } from '../base/json/canonical.ts';
import type { JsonValue } from '../base/json/parse.ts';
import type { CommandOperation, Input, OperationResult } from '../base/operation.ts';
import {
  findStoredResponse,
  type ResponseKey,
  type StoredResponse,
  storeResponse,
} from '../domain/idempotency/stored-responses.ts';
import type { Caller } from '../domain/keys/caller.ts';
import type { RunnableOperation, ValidatedOperation } from './app-operation.ts';
import { checkInput, type RequestInput } from './check-input.ts';
import type { AppContext } from './context.ts';
import { isAnonymous, isIntegration, isMember, isOperator, isPartner, type Principal } from './principal.ts';
import { unavailableProblem } from './problem.ts';

export interface HttpReply {
  readonly status: number;
  readonly json: string;
  /**
   * What the JSON was made of, for a caller in the program itself; absent where the command gave text, and for a
   * replay.
   */
  readonly body?: unknown;
  readonly replayed: boolean;
  /** Instead of the JSON: a page of CSV, and where the next page begins. */
  readonly csv?: { readonly text: string; readonly nextBefore: string | null };
}

type Services = AppContext['services'];
type ExternalOperation = Extract<ValidatedOperation, { readonly kind: 'external' }>;

/** Calls that run on this server now, by their idempotency key: a second one waits here and holds no connection. */
type CallsInFlight = Map<string, Promise<unknown>>;

export type Perform = (
  operation: RunnableOperation,
  principal: Principal | null,
  request: RequestInput,
) => Promise<HttpReply>;

export function makePerform(context: AppContext): Perform {
  const inFlight: CallsInFlight = new Map();
  return async (operation, principal, request) => {
    try {
      if (operation.kind === 'intake') {
        if (!isIntegration(principal)) throw wrongPrincipal(operation);
        const { body, headers = {} } = request;
        return replyOf(await operation.run(context.services, principal, { raw: body ?? Buffer.alloc(0), headers }));
      }
      const caller = isPartner(principal) ? principal : null;
      const input = await checkInput(context, operation, caller, request);
      if (operation.kind === 'external')
        return replyOf(await runExternal(context.services, operation, principal, input));
      if (caller === null) throw wrongPrincipal(operation);
      if (operation.kind === 'query') return replyOf(await operation.run(context.db, caller, input));
      if (operation.kind === 'statement') {
        const idempotency = { key: request.idempotencyKey ?? null, fingerprint: fingerprintOf(operation, input) };
        return replyOf(await operation.run(context.db, caller, { ...input, idempotency }));
      }
      const key = operation.idempotent === true ? request.idempotencyKey : undefined;
      if (key !== undefined) return await performOnce(context, inFlight, { operation, caller, input, key });
      await runCheck(context.services, operation, input);
      return await context.db.transaction(async (tx) => replyOf(await operation.run(tx, caller, input)));
    } catch (error) {
      throw unavailableProblem(error) ?? error;
    }
  };
}

/** Authorization gives each operation a caller of the type that its `auth` names; anything else is a fault of ours. */
function wrongPrincipal({ id, auth }: RunnableOperation): Error {
  return new Error(`${id} was not called by a caller of type ${auth}`);
}

function runExternal(
  services: Services,
  operation: ExternalOperation,
  principal: Principal | null,
  input: Input,
): Promise<OperationResult> {
  switch (operation.auth) {
    case 'secret':
      if (isPartner(principal)) return operation.run(services, principal, input);
      break;
    case 'guest':
      if (isPartner(principal) || isMember(principal)) return operation.run(services, principal, input);
      break;
    case 'member':
      if (isMember(principal)) return operation.run(services, principal, input);
      break;
    case 'open':
      if (isAnonymous(principal)) return operation.run(services, principal, input);
      break;
    case 'operator':
      if (isOperator(principal)) return operation.run(services, principal, input);
      break;
  }
  throw wrongPrincipal(operation);
}

type KeyedCommand = CommandOperation<Caller, Services>;

/** Problems that only another server knows are found before the transaction begins. */
async function runCheck(services: Services, { check }: KeyedCommand, input: Input): Promise<void> {
  const problems = check === undefined ? [] : await check(services, input);
  if (problems.length > 0) throw invalid(problems);
}

function replyOf(result: OperationResult): HttpReply {
  return {
    status: result.status,
    json: result.json ?? JSON.stringify(result.body),
    body: result.body,
    replayed: result.replayed === true,
    ...(result.csv === undefined ? {} : { csv: { text: result.csv, nextBefore: result.nextBefore ?? null } }),
  };
}

interface IdempotentCall {
  readonly operation: KeyedCommand;
  readonly caller: Caller;
  readonly input: Input;
  readonly key: string;
}

/** Calls with one key that a call waits for, one after the other. The first that succeeds answers all later ones. */
const MAX_EARLIER_CALLS = 1_000;

async function performOnce(context: AppContext, inFlight: CallsInFlight, call: IdempotentCall): Promise<HttpReply> {
  const { venue, mode, now } = call.caller;
  const responseKey: ResponseKey = { venueId: venue.id, mode, key: call.key, now };
  const name = `${venue.id} ${mode} ${call.key}`;
  for (let round = 0, earlier = inFlight.get(name); earlier !== undefined; round++, earlier = inFlight.get(name)) {
    if (round === MAX_EARLIER_CALLS) throw stillRunning();
    await earlier;
  }
  const reply = performStoringResponse(context, responseKey, call);
  const settled = reply.then(
    () => undefined,
    () => undefined,
  );
  inFlight.set(name, settled);
  try {
    return await reply;
  } finally {
    inFlight.delete(name);
  }
}

class IdempotencyKeyTaken extends Error {}

const LOCK_TIMEOUT = '55P03';

async function performStoringResponse(
  context: AppContext,
  responseKey: ResponseKey,
  { operation, caller, input }: IdempotentCall,
): Promise<HttpReply> {
  const fingerprint = fingerprintOf(operation, input);
  const earlier = await findStoredResponse(context.db, context.seal, responseKey);
  if (earlier !== null) return replay(earlier, fingerprint);
  await runCheck(context.services, operation, input);
  try {
    return await context.db.transaction(async (tx) => {
      const reply = replyOf(await operation.run(tx, caller, input));
      const { status, json } = reply;
      const isStored = await storeResponse(tx, context.seal, responseKey, { fingerprint, status, json });
      if (!isStored) throw new IdempotencyKeyTaken();
      return reply;
    });
  } catch (error) {
    // An equal call on another server may have been first, whichever error this is: its stored response is then the
    // answer.
    const first = await findStoredResponse(context.db, context.seal, responseKey);
    if (first !== null) return replay(first, fingerprint);
    if (sqlState(error) === LOCK_TIMEOUT) throw stillRunning();
    throw error;
  }
}

function stillRunning(): Problem {
  return conflict(
    'request_in_progress',
    'The first call with this Idempotency-Key is still running. Try again in a moment.',
  );
}

function replay(stored: StoredResponse, fingerprint: Buffer): HttpReply {
  if (!stored.fingerprint.equals(fingerprint)) {
    throw conflict(
      'idempotency_key_reused',
      'This Idempotency-Key was used for another request. Use a new key for a new request.',
    );
  }
  return { status: stored.status, json: stored.json, replayed: true };
}

/** Of the operation, the path and the body's JSON values: member order, white space and 1.0 for 1 do not matter. */
function fingerprintOf({ id }: ValidatedOperation, { params, body }: Input): Buffer {
  const call = { operation: id, params, body: (body ?? null) as JsonValue };
  return createHash('sha256').update(canonicalJson(call)).digest();
}
