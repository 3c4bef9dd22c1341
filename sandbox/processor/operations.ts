// The list of operations under /v1 and /v2: for each its name (fault rules use it), its route, its parameters, whether a
// publishable key may call it, and what it runs. A route replaces each id of the path by a colon:
// `payment_intents/:/capture`, `v2/core/accounts/:`.

import { createAccount, createAccountLink, retrieveAccount, toAccount } from './accounts.ts';
import { invalidRequest } from './api-error.ts';
import { BALANCE_OPERATIONS } from './balance-operations.ts';
import { closeDispute, closeInquiry, createDispute, escalateInquiry, takeBack, toDispute } from './disputes.ts';
import { ENDPOINT_OPERATIONS } from './endpoint-operations.ts';
import type { Params } from './form-params.ts';
import { LIST_PARAMS, listRows } from './lists.ts';
import {
  CREATE_INTENT_PARAMS,
  cancelPaymentIntent,
  capturePaymentIntent,
  confirmPaymentIntent,
  createPaymentIntent,
  findByClientSecret,
  updatePaymentIntent,
} from './payment-intents.ts';
import { createDomain, toDomain, updateDomain, validateDomain } from './payment-method-domains.ts';
import {
  type StripeObject,
  toCharge,
  toCustomer,
  toPaymentIntent,
  toPaymentMethod,
  toPublicPaymentIntent,
} from './payment-objects.ts';
import { createRefund, toRefund } from './refunds.ts';
import type { TransferRow } from './row-types.ts';
import type { Transaction } from './transaction.ts';
import { createReversal, createTransfer, toTransfer, toTransferReversal } from './transfers.ts';
import { isPlatformEvent, toEvent } from './webhook-objects.ts';

export interface Call {
  readonly tx: Transaction;
  readonly id: string;
  /** The second id of a path, as in `transfers/:/reversals/:`. */
  readonly innerId: string;
  readonly params: Params;
  /** The caller has only a publishable key. */
  readonly isPublishable: boolean;
  /** The connected account that the header `Stripe-Account` names; null: the platform. */
  readonly account: string | null;
}

export interface Operation {
  readonly name: string;
  readonly params: ReadonlySet<string>;
  /** A publishable key may call it, with the intent's client secret. */
  readonly isPublic: boolean;
  /** The platform may call it for a connected account. */
  readonly isForAccounts: boolean;
  run(call: Call): StripeObject;
}

const operations = new Map<string, Operation>();

function define(
  name: string,
  route: string,
  params: readonly string[],
  run: (call: Call) => StripeObject,
  isPublic = false,
  isForAccounts = false,
): void {
  const accepted = new Set([...params, 'expand', ...(isPublic ? ['key', 'client_secret'] : [])]);
  operations.set(route, { name, params: accepted, isPublic, isForAccounts, run });
}

/** The route pattern and the ids of a path; null when it is not under /v1 or /v2. */
export function readPath(path: string): { pattern: string; id: string; innerId: string } | null {
  const [empty, version, ...segments] = path.split('/');
  if (empty !== '' || (version !== 'v1' && version !== 'v2') || segments.length === 0) return null;
  const start = version === 'v2' || segments[0] === 'test_helpers' ? 2 : 1;
  const isId = (index: number): boolean => index >= start && (index - start) % 2 === 0;
  const route = segments.map((segment, index) => (isId(index) ? ':' : segment)).join('/');
  const pattern = version === 'v2' ? `v2/${route}` : route;
  return { pattern, id: segments[start] ?? '', innerId: segments[start + 2] ?? '' };
}

export function findOperation(method: string, pattern: string): Operation | undefined {
  return operations.get(`${method} ${pattern}`);
}

export const operationNames = (): string[] => [...operations.values()].map(({ name }) => name);

define('payment_intents.create', 'POST payment_intents', CREATE_INTENT_PARAMS, ({ tx, params }) =>
  createPaymentIntent(tx, params),
);
define(
  'payment_intents.retrieve',
  'GET payment_intents/:',
  [],
  ({ tx, id, params, isPublishable }) =>
    isPublishable
      ? toPublicPaymentIntent(tx, findByClientSecret(tx, id, params))
      : toPaymentIntent(
          tx,
          params.has('client_secret') ? findByClientSecret(tx, id, params) : tx.require('intents', id, 'intent'),
        ),
  true,
);
define(
  'payment_intents.update',
  'POST payment_intents/:',
  ['amount', 'description', 'metadata', 'receipt_email', 'setup_future_usage', 'transfer_group'],
  ({ tx, id, params }) => updatePaymentIntent(tx, id, params),
);
define(
  'payment_intents.confirm',
  'POST payment_intents/:/confirm',
  [
    'payment_method',
    'payment_method_data',
    'payment_method_options',
    'payment_method_types',
    'allowed_payment_method_types',
    'excluded_payment_method_types',
    'amount_details',
    'payment_details',
    'off_session',
    'return_url',
    'setup_future_usage',
    'use_stripe_sdk',
    'receipt_email',
    'shipping',
    'mandate_data',
  ],
  ({ tx, id, params, isPublishable }) => confirmPaymentIntent(tx, id, params, isPublishable),
  true,
);
define(
  'payment_intents.capture',
  'POST payment_intents/:/capture',
  ['amount_to_capture', 'final_capture', 'metadata', 'statement_descriptor', 'statement_descriptor_suffix'],
  ({ tx, id, params }) => capturePaymentIntent(tx, id, params),
);
define('payment_intents.cancel', 'POST payment_intents/:/cancel', ['cancellation_reason'], ({ tx, id, params }) =>
  cancelPaymentIntent(tx, id, params),
);
define('payment_intents.list', 'GET payment_intents', [...LIST_PARAMS, 'customer'], ({ tx, params }) =>
  listRows(params, {
    url: '/v1/payment_intents',
    table: tx.changes.committed.intents,
    indexKey: params.text('customer'),
    toObject: (row) => toPaymentIntent(tx, row),
  }),
);

define('charges.retrieve', 'GET charges/:', [], ({ tx, id }) => toCharge(tx, tx.require('charges', id, 'charge')));
define('charges.list', 'GET charges', [...LIST_PARAMS, 'payment_intent'], ({ tx, params }) =>
  listRows(params, {
    url: '/v1/charges',
    table: tx.changes.committed.charges,
    indexKey: params.text('payment_intent'),
    toObject: (row) => toCharge(tx, row),
  }),
);

define(
  'customers.create',
  'POST customers',
  ['email', 'name', 'phone', 'description', 'metadata', 'address', 'shipping', 'preferred_locales'],
  ({ tx, params }) =>
    toCustomer(
      tx,
      tx.put('customers', {
        id: tx.newId('cus'),
        created: tx.now,
        email: params.text('email', 512),
        name: params.text('name', 256),
        phone: params.text('phone'),
        description: params.text('description'),
        metadata: params.metadata(),
      }),
    ),
);
define('customers.retrieve', 'GET customers/:', [], ({ tx, id }) => toCustomer(tx, tx.require('customers', id)));
define('payment_methods.retrieve', 'GET payment_methods/:', [], ({ tx, id }) =>
  toPaymentMethod(tx, tx.require('methods', id, 'payment_method')),
);

define(
  'refunds.create',
  'POST refunds',
  ['charge', 'payment_intent', 'amount', 'reason', 'metadata'],
  ({ tx, params }) => createRefund(tx, params),
);
define('refunds.retrieve', 'GET refunds/:', [], ({ tx, id }) => toRefund(tx, tx.require('refunds', id)));
define('refunds.list', 'GET refunds', [...LIST_PARAMS, 'charge', 'payment_intent'], ({ tx, params }) =>
  listRows(params, {
    url: '/v1/refunds',
    table: tx.changes.committed.refunds,
    indexKey: params.text('charge') ?? params.text('payment_intent'),
    toObject: (row) => toRefund(tx, row),
  }),
);

/** A new platform makes accounts with API v2; v1 has to be switched on. The text of this refusal is a guess. */
define(
  'accounts.create',
  'POST accounts',
  ['type', 'controller', 'country', 'email', 'business_profile', 'capabilities', 'metadata'],
  () => {
    throw invalidRequest('Your platform cannot create accounts with API v1. Use POST /v2/core/accounts instead.');
  },
);
define('accounts.retrieve', 'GET accounts/:', [], ({ tx, id }) => toAccount(tx, tx.require('accounts', id)));
define(
  'v2.core.accounts.create',
  'POST v2/core/accounts',
  ['configuration', 'contact_email', 'dashboard', 'defaults', 'display_name', 'identity', 'include', 'metadata'],
  ({ tx, params }) => createAccount(tx, params),
);
define('v2.core.accounts.retrieve', 'GET v2/core/accounts/:', ['include'], ({ tx, id, params }) =>
  retrieveAccount(tx, id, params),
);
define('v2.core.account_links.create', 'POST v2/core/account_links', ['account', 'use_case'], ({ tx, params }) =>
  createAccountLink(tx, params),
);

const renderTransfer = (tx: Transaction, row: TransferRow): StripeObject =>
  toTransfer(tx, row, tx.changes.committed.reversals.findByIndex(row.id));

define(
  'transfers.create',
  'POST transfers',
  [
    'amount',
    'currency',
    'destination',
    'source_transaction',
    'source_type',
    'transfer_group',
    'description',
    'metadata',
  ],
  ({ tx, params }) => createTransfer(tx, params),
);
define('transfers.retrieve', 'GET transfers/:', [], ({ tx, id }) =>
  renderTransfer(tx, tx.require('transfers', id, 'transfer')),
);
define('transfers.list', 'GET transfers', [...LIST_PARAMS, 'destination', 'transfer_group'], ({ tx, params }) => {
  const [destination, group] = [params.text('destination'), params.text('transfer_group')];
  return listRows(params, {
    url: '/v1/transfers',
    table: tx.changes.committed.transfers,
    indexKey: group ?? destination,
    where: (row) =>
      (group === null || row.group === group) && (destination === null || row.destination === destination),
    toObject: (row) => renderTransfer(tx, row),
  });
});
define(
  'transfer_reversals.create',
  'POST transfers/:/reversals',
  ['amount', 'description', 'metadata', 'refund_application_fee'],
  ({ tx, id, params }) => createReversal(tx, id, params),
);
define('transfer_reversals.list', 'GET transfers/:/reversals', LIST_PARAMS, ({ tx, id, params }) => {
  tx.require('transfers', id, 'transfer');
  return listRows(params, {
    url: `/v1/transfers/${id}/reversals`,
    table: tx.changes.committed.reversals,
    indexKey: id,
    toObject: (row) => toTransferReversal(tx, row),
  });
});
define('transfer_reversals.retrieve', 'GET transfers/:/reversals/:', [], ({ tx, innerId }) =>
  toTransferReversal(tx, tx.require('reversals', innerId)),
);

for (const { name, route, params, run } of BALANCE_OPERATIONS) define(name, route, params, run, false, true);

define('events.retrieve', 'GET events/:', [], ({ tx, id }) => {
  const row = tx.require('events', id);
  return toEvent(tx.mode, isPlatformEvent(row) ? row : tx.require('events', ''));
});
define('events.list', 'GET events', [...LIST_PARAMS, 'type', 'types'], ({ tx, params }) => {
  const types = [...params.list('types'), params.text('type') ?? []].flat();
  return listRows(params, {
    url: '/v1/events',
    table: tx.changes.committed.events,
    where: (row) => isPlatformEvent(row) && (types.length === 0 || types.includes(row.type)),
    toObject: (row) => toEvent(tx.mode, row),
  });
});

define('disputes.retrieve', 'GET disputes/:', [], ({ tx, id }) => toDispute(tx, tx.require('disputes', id)));
define('disputes.close', 'POST disputes/:/close', [], ({ tx, id }) => closeDispute(tx, id, 'lost'));
define('disputes.list', 'GET disputes', [...LIST_PARAMS, 'charge', 'payment_intent'], ({ tx, params }) =>
  listRows(params, {
    url: '/v1/disputes',
    table: tx.changes.committed.disputes,
    indexKey: params.text('charge') ?? params.text('payment_intent'),
    toObject: (row) => toDispute(tx, row),
  }),
);
define(
  'test_helpers.disputes.create',
  'POST test_helpers/disputes',
  ['charge', 'payment_intent', 'amount', 'reason', 'inquiry', 'exceeds_charge'],
  ({ tx, params }) => createDispute(tx, params),
);
define('test_helpers.disputes.escalate', 'POST test_helpers/disputes/:/escalate', [], ({ tx, id }) =>
  escalateInquiry(tx, id),
);
define('test_helpers.disputes.close_inquiry', 'POST test_helpers/disputes/:/close_inquiry', [], ({ tx, id }) =>
  closeInquiry(tx, id),
);
define('test_helpers.disputes.prevented', 'POST test_helpers/disputes/:/prevented', [], ({ tx, id }) =>
  closeDispute(tx, id, 'prevented'),
);
define('test_helpers.disputes.take_back', 'POST test_helpers/disputes/:/take_back', ['amount'], ({ tx, id, params }) =>
  takeBack(tx, id, params),
);
define('test_helpers.disputes.won', 'POST test_helpers/disputes/:/won', ['return_fee'], ({ tx, id, params }) =>
  closeDispute(tx, id, 'won', params.flag('return_fee') === true),
);
define('test_helpers.disputes.lost', 'POST test_helpers/disputes/:/lost', [], ({ tx, id }) =>
  closeDispute(tx, id, 'lost'),
);

for (const { name, route, params, run } of ENDPOINT_OPERATIONS) define(name, route, params, run);

define('payment_method_domains.create', 'POST payment_method_domains', ['domain_name', 'enabled'], ({ tx, params }) =>
  createDomain(tx, params),
);
define('payment_method_domains.update', 'POST payment_method_domains/:', ['enabled'], ({ tx, id, params }) =>
  updateDomain(tx, id, params),
);
define('payment_method_domains.validate', 'POST payment_method_domains/:/validate', [], ({ tx, id }) =>
  validateDomain(tx, id),
);
define('payment_method_domains.list', 'GET payment_method_domains', [...LIST_PARAMS, 'domain_name'], ({ tx, params }) =>
  listRows(params, {
    url: '/v1/payment_method_domains',
    table: tx.changes.committed.domains,
    where: ({ name }) => name === (params.text('domain_name') ?? name),
    toObject: (row) => toDomain(tx, row),
  }),
);
