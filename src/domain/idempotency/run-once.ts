// Runs a call with an Idempotency-Key at most once. The response is stored in the transaction of the effect; a second call
// with the key is rolled back and answered with the stored response, byte for byte. That is safe because of the rule "One
// request is one transaction, with no call to the outside inside it" (docs/ARCHITECTURE.md).

import { type Db, type Queryable, sqlState } from '../../base/db.ts';
import { conflict, type Problem } from '../../base/errors.ts';
import type { OperationResult } from '../../base/operation.ts';
import type { Seal } from '../../base/seal.ts';
import { findStoredResponse, type ResponseKey, type StoredResponse, storeResponse } from './stored-responses.ts';

export interface KeyedCall {
  readonly responseKey: ResponseKey;
  /** Equal for equal calls: of operation, path and body. */
  readonly fingerprint: Buffer;
  /** Runs before the transaction, unless there is a stored response; it may call other servers. */
  readonly check?: () => Promise<void>;
  readonly run: (tx: Queryable) => Promise<OperationResult>;
}

export type RunOnce = (call: KeyedCall) => Promise<OperationResult>;

/** Calls with one key that a call waits for, one after the other. The first that succeeds answers all later ones. */
const MAX_EARLIER_CALLS = 1_000;

/** `retentionMs`: how long a response is stored. */
export function makeRunOnce(db: Db, seal: Seal, retentionMs: number): RunOnce {
  /** Calls that run on this server now, by their idempotency key: a second one waits here and holds no connection. */
  const inFlight = new Map<string, Promise<unknown>>();
  return async (call) => {
    const { venueId, mode, key } = call.responseKey;
    const name = `${venueId} ${mode} ${key}`;
    for (let round = 0, earlier = inFlight.get(name); earlier !== undefined; round++, earlier = inFlight.get(name)) {
      if (round === MAX_EARLIER_CALLS) throw stillRunning();
      await earlier;
    }
    const result = runStoringResponse(db, seal, call, retentionMs);
    const settled = result.then(
      () => undefined,
      () => undefined,
    );
    inFlight.set(name, settled);
    try {
      return await result;
    } finally {
      inFlight.delete(name);
    }
  };
}

class IdempotencyKeyTaken extends Error {}

const LOCK_TIMEOUT = '55P03';

async function runStoringResponse(db: Db, seal: Seal, call: KeyedCall, retentionMs: number): Promise<OperationResult> {
  const { responseKey, fingerprint } = call;
  const earlier = await findStoredResponse(db, seal, responseKey, retentionMs);
  if (earlier !== null) return replay(earlier, fingerprint);
  await call.check?.();
  try {
    return await db.transaction(async (tx) => {
      const result = await call.run(tx);
      const { status, json = JSON.stringify(result.body) } = result;
      const isStored = await storeResponse(tx, seal, responseKey, { fingerprint, status, json }, retentionMs);
      if (!isStored) throw new IdempotencyKeyTaken();
      return { ...result, json };
    });
  } catch (error) {
    // An equal call on another server may have been first, whichever error this is: its stored response is then the
    // answer.
    const first = await findStoredResponse(db, seal, responseKey, retentionMs);
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

function replay(stored: StoredResponse, fingerprint: Buffer): OperationResult {
  if (!stored.fingerprint.equals(fingerprint)) {
    throw conflict(
      'idempotency_key_reused',
      'This Idempotency-Key was used for another request. Use a new key for a new request.',
    );
  }
  return { status: stored.status, json: stored.json, replayed: true };
}
