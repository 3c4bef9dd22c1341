// POST /sandbox/past: makes calls as if each had been made at its time in the past, in the order of the list. Demo data
// is written with it. The operations are the ordinary ones, so every rule holds, but no event is recorded. The calls of
// one request are not one transaction: after a refusal the earlier ones stay, as they would with single requests.

import { ApiError, invalidRequest } from './api-error.ts';
import { expand } from './expand.ts';
import { Params, parseJsonBody } from './form-params.ts';
import { findOperation, type Operation, readPath } from './operations.ts';
import type { StripeObject } from './payment-objects.ts';
import type { Transaction } from './transaction.ts';

interface PastCall {
  /** In milliseconds. */
  readonly at: number;
  /** As in `/v1/payment_intents`; the method is POST. `$3` stands for the id of the fourth answer, here and in params. */
  readonly path: string;
  readonly params: object;
}

const MAX_CALLS = 5000;
/** A longer body than that of a single call. */
export const MAX_PAST_BODY_BYTES = 8 * 1024 * 1024;
export const PAST_PATH = '/sandbox/past';

/** Runs `task` in a transaction at `pastMs` and commits it. */
type Transact = (task: (tx: Transaction) => StripeObject, pastMs: number) => StripeObject;

/** The answers in the order of the calls. A declined card is an answer, with `error`; any other refusal ends the request. */
export function servePastCalls(text: string, now: number, transact: Transact): StripeObject {
  const ids: string[] = [];
  const data = readCalls(text, now).map((call, index) => {
    const answer = makeCall(call, index, ids, transact);
    ids.push(typeof answer.id === 'string' ? answer.id : '');
    return answer;
  });
  return { object: 'list', data, has_more: false, url: PAST_PATH };
}

function makeCall({ at, path, params }: PastCall, index: number, ids: readonly string[], transact: Transact) {
  const parsed = readPath(path.replace(/\$(\d+)/g, (_, position) => ids[Number(position)] ?? ''));
  const operation = parsed === null ? undefined : findOperation('POST', parsed.pattern);
  if (parsed === null || operation === undefined) throw invalidRequest(`calls[${index}]: there is no POST ${path}.`);
  const named = JSON.stringify(params).replace(/"\$(\d+)"/g, (_, position) => JSON.stringify(ids[Number(position)]));
  const fields = new Params(parseJsonBody(named));
  fields.rejectUnknown(operation.params);
  return transact((tx) => runOperation(tx, operation, parsed, fields), at);
}

function runOperation(
  tx: Transaction,
  operation: Operation,
  { id, innerId }: { readonly id: string; readonly innerId: string },
  params: Params,
): StripeObject {
  try {
    const object = operation.run({ tx, id, innerId, params, account: null, isPublishable: false });
    expand(tx, object, params.list('expand'));
    return object;
  } catch (error) {
    if (error instanceof ApiError && error.isExecuted && error.error.type === 'card_error')
      return JSON.parse(error.body());
    throw error;
  }
}

function readCalls(text: string, now: number): readonly PastCall[] {
  let calls: unknown;
  try {
    calls = JSON.parse(text);
  } catch {
    throw invalidRequest('calls must be JSON: a list of {at, path, params}.', 'calls');
  }
  if (!Array.isArray(calls) || calls.length > MAX_CALLS) {
    throw invalidRequest(`calls must be a list of at most ${MAX_CALLS} calls {at, path, params}.`, 'calls');
  }
  return calls.map((call: Partial<PastCall> | null, index) => {
    const { at, path, params } = call ?? {};
    if (typeof at !== 'number' || !Number.isSafeInteger(at) || at < 0 || at > now) {
      throw invalidRequest(`calls[${index}][at] must be a time up to now, in milliseconds since 1970.`, 'calls');
    }
    if (typeof path !== 'string' || typeof params !== 'object' || params === null) {
      throw invalidRequest(`calls[${index}] must have a path and params.`, 'calls');
    }
    return { at, path, params };
  });
}
