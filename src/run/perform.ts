// The second half of a request: input → transaction → replay or run → commit. Two calls with one Idempotency-Key have
// one effect (domain/idempotency/run-once.ts).

import { createHash } from 'node:crypto';
import type { Queryable } from '../base/db.ts';
import { invalid } from '../base/errors.ts';
import { canonicalJson } from '../base/json/canonical.ts';
import type { JsonValue } from '../base/json/parse.ts';
import type { CommandOperation, IdempotentInput, Input, OperationResult } from '../base/operation.ts';
import type { Caller } from '../domain/keys/caller.ts';
import type { RunnableOperation, ValidatedOperation } from './app-operation.ts';
import { checkInput, type RequestInput } from './check-input.ts';
import type { AppContext } from './context.ts';
import {
  isAccount,
  isAnonymous,
  isDesk,
  isHook,
  isMember,
  isOperator,
  isPartner,
  isTeam,
  type Principal,
} from './principal.ts';
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
  /** The cookie of the console; null: it is deleted; absent: it stays. */
  readonly sessionToken?: string | null;
  /** The cookie that marks the browser of the console. */
  readonly deviceToken?: string;
}

type Services = AppContext['services'];
type ExternalOperation = Extract<RunnableOperation, { readonly kind: 'external' }>;

export type Perform = (
  operation: RunnableOperation,
  principal: Principal | null,
  request: RequestInput,
) => Promise<HttpReply>;

export function makePerform(context: AppContext): Perform {
  return async (operation, principal, request) => {
    try {
      if (operation.kind === 'intake') {
        if (!isHook(principal)) throw wrongPrincipal(operation);
        const { body, headers = {} } = request;
        return replyOf(await operation.run(context.services, principal, { raw: body ?? Buffer.alloc(0), headers }));
      }
      const caller = isPartner(principal) ? principal : null;
      const input = await checkInput(context, operation, caller, request);
      if (operation.kind === 'external') {
        const run = (services: Services): Promise<OperationResult> =>
          runExternal(services, operation, principal, withKey(operation, input, request));
        const { services, reads } = context;
        return replyOf(await (isConsoleRead(operation) ? reads.read((db) => run({ ...services, db })) : run(services)));
      }
      if (caller === null) throw wrongPrincipal(operation);
      if (operation.kind === 'query')
        return replyOf(await context.reads.read((db) => operation.run(db, caller, input)));
      if (operation.kind === 'statement')
        return replyOf(await operation.run(context.db, caller, withKey(operation, input, request)));
      return replyOf(await runCommand(context, operation, caller, withKey(operation, input, request)));
    } catch (error) {
      throw unavailableProblem(error) ?? error;
    }
  };
}

/** What a person in the console looks at. A read that records something is refused by a standby, and runs at the primary. */
function isConsoleRead({ method, effect, auth }: ExternalOperation): boolean {
  return method === 'GET' && effect === 'read' && auth === 'team';
}

/** Authorization gives each operation a caller of the type that its `auth` names; anything else is a fault of ours. */
function wrongPrincipal({ id, auth }: RunnableOperation): Error {
  return new Error(`${id} was not called by a caller of type ${auth}`);
}

function runExternal(
  services: Services,
  operation: ExternalOperation,
  principal: Principal | null,
  input: IdempotentInput,
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
    case 'account':
      if (isAccount(principal)) return operation.run(services, principal, input);
      break;
    case 'team':
      if (isTeam(principal)) return operation.run(services, principal, input);
      break;
    case 'desk':
      if (isDesk(principal)) return operation.run(services, principal, input);
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

type Command = CommandOperation<Caller, Services>;

async function runCommand(
  { services, db }: AppContext,
  operation: Command,
  caller: Caller,
  input: IdempotentInput,
): Promise<OperationResult> {
  const { key, fingerprint } = input.idempotency;
  const check = (): Promise<void> => runCheck(services, operation, input);
  const run = (tx: Queryable): Promise<OperationResult> => operation.run(tx, caller, input);
  if (key !== null) {
    const responseKey = { venueId: caller.venue.id, mode: caller.mode, key, now: caller.now };
    return services.runOnce({ responseKey, fingerprint, check, run });
  }
  await check();
  return db.transaction(run);
}

/** Problems that only another server knows are found before the transaction begins. */
async function runCheck(services: Services, { check }: Command, input: Input): Promise<void> {
  const problems = check === undefined ? [] : await check(services, input);
  if (problems.length > 0) throw invalid(problems);
}

/** The key is null where the request has none, or the operation takes none. */
function withKey(operation: ValidatedOperation, input: Input, { idempotencyKey }: RequestInput): IdempotentInput {
  const key = operation.idempotent === true ? (idempotencyKey ?? null) : null;
  // A statement compares fingerprints also where a booking id is the key; others need none without a key.
  const isCompared = key !== null || operation.kind === 'statement';
  const fingerprint = isCompared ? fingerprintOf(operation, input) : Buffer.alloc(0);
  return { ...input, idempotency: { key, fingerprint } };
}

function replyOf(result: OperationResult): HttpReply {
  return {
    status: result.status,
    json: result.json ?? JSON.stringify(result.body),
    body: result.body,
    replayed: result.replayed === true,
    ...(result.csv === undefined ? {} : { csv: { text: result.csv, nextBefore: result.nextBefore ?? null } }),
    ...(result.sessionToken === undefined ? {} : { sessionToken: result.sessionToken }),
    ...(result.deviceToken === undefined ? {} : { deviceToken: result.deviceToken }),
  };
}

/** Of the operation, the path and the body's JSON values: member order, white space and 1.0 for 1 do not matter. */
function fingerprintOf({ id }: ValidatedOperation, { params, body }: Input): Buffer {
  const call = { operation: id, params, body: (body ?? null) as JsonValue };
  return createHash('sha256').update(canonicalJson(call)).digest();
}
