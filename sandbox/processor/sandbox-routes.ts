// Addresses that Stripe does not have: they set faults, change connected accounts as Stripe's own review would, pay their
// balances out, and make calls in the past.

import { setTransfersStatus } from './accounts.ts';
import { invalidRequest } from './api-error.ts';
import { type Faults, readFaultSettings } from './faults.ts';
import { Params, parseForm } from './form-params.ts';
import type { ApiRequest, ApiResponse } from './messages.ts';
import { operationNames } from './operations.ts';
import { MAX_PAST_BODY_BYTES, PAST_PATH, servePastCalls } from './past-calls.ts';
import type { StripeObject } from './payment-objects.ts';
import { emptyBalance, setPayoutInterval, toPayout } from './payouts.ts';
import { unknownUrl } from './responses.ts';
import type { Transaction } from './transaction.ts';

export interface SandboxRequest {
  readonly request: ApiRequest;
  /** Without the query. */
  readonly path: string;
  readonly faults: Faults;
  /** In milliseconds. */
  readonly now: number;
  /** Runs `task` in a transaction of the caller's mode and commits it. `pastMs`: as if it were that time. */
  transact(task: (tx: Transaction) => StripeObject, pastMs?: number): StripeObject;
}

export function serveSandboxRoute({ request, path, faults, now, transact }: SandboxRequest): ApiResponse {
  if (path === '/sandbox/faults') return json(serveFaults(request, faults));
  if (request.method !== 'POST') throw unknownUrl(request.method, path);
  const params = new Params(parseForm(request.body));
  if (path === PAST_PATH) return json(servePastCalls(params.requireText('calls', MAX_PAST_BODY_BYTES), now, transact));
  if (path === '/sandbox/payouts') return json(transact((tx) => servePayouts(tx, params)));
  const [, account] = /^\/sandbox\/accounts\/([A-Za-z0-9_]+)$/.exec(path) ?? [];
  if (account === undefined) throw unknownUrl(request.method, path);
  params.rejectUnknown(new Set(['transfers_status']));
  const status = params.oneOf('transfers_status', ['active', 'pending', 'restricted', 'rejected']);
  if (status === null) throw invalidRequest('Missing required param: transfers_status.', 'transfers_status');
  return json(transact((tx) => setTransfersStatus(tx, account, status)));
}

/**
 * Pays out what one account or every account has now, or says how often every account without a setting of its own is
 * paid out, or what becomes of refunds that the platform's balance does not cover.
 */
function servePayouts(tx: Transaction, params: Params): StripeObject {
  params.rejectUnknown(new Set(['account', 'accounts', 'refunds']));
  const refunds = params.oneOf('refunds', ['wait', 'from_bank']);
  if (refunds !== null) {
    tx.put('payoutSettings', { id: 'refunds', refundsWait: refunds === 'wait' });
    return { refunds };
  }
  const interval = params.oneOf('accounts', ['daily', 'manual', 'now']);
  if (interval === 'daily' || interval === 'manual') {
    setPayoutInterval(tx, 'accounts', interval);
    return { accounts: interval };
  }
  const accounts =
    interval === 'now'
      ? [...tx.changes.committed.accounts.oldestFirst()]
      : [tx.require('accounts', params.requireText('account'), 'account')];
  const data = accounts.flatMap(({ id }) => emptyBalance(tx, id)).map((row) => toPayout(tx, row));
  return { object: 'list', data, has_more: false, url: '/v1/payouts' };
}

const json = (object: StripeObject): ApiResponse => ({
  status: 200,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(object),
});

function serveFaults(request: ApiRequest, faults: Faults): StripeObject {
  if (request.method === 'DELETE') faults.clear();
  else if (request.method === 'PUT') {
    let value: unknown;
    try {
      value = JSON.parse(request.body);
    } catch {
      throw invalidRequest('The body is not JSON.');
    }
    const settings = readFaultSettings(value);
    if (typeof settings === 'string') throw invalidRequest(settings);
    faults.set(settings);
  } else if (request.method !== 'GET') throw unknownUrl(request.method, '/sandbox/faults');
  return { ...faults.read(), operations: operationNames() };
}
