// Every operation under /v1: its name (which fault rules use), its parameters, who may call it, and what it does.
// A path is looked up by its shape: `payment_intents/:/capture`.

import { createDispute, settleDispute } from './disputes.ts';
import type { Params } from './form.ts';
import {
  cancelIntent,
  captureIntent,
  confirmIntent,
  createIntent,
  createIntentParams,
  guestsIntent,
  updateIntent,
} from './intents.ts';
import { listParams, listRows } from './lists.ts';
import {
  createAccount,
  createAccountLink,
  createRefund,
  createReversal,
  createTransfer,
  readBalance,
  updateAccount,
} from './money.ts';
import {
  accountWire,
  disputeWire,
  endpointWire,
  eventWire,
  refundWire,
  reversalWire,
  transferWire,
} from './money-shapes.ts';
import { cannot, invalid } from './refusal.ts';
import type { TransferRow } from './rows.ts';
import { chargeWire, customerWire, guestIntentWire, intentWire, methodWire, type Wire } from './shapes.ts';
import type { Work } from './work.ts';

export interface Call {
  readonly work: Work;
  readonly id: string;
  /** The second id of a path, as in `transfers/:/reversals/:`. */
  readonly innerId: string;
  readonly params: Params;
  readonly byGuest: boolean;
}

export interface Operation {
  readonly name: string;
  readonly takes: ReadonlySet<string>;
  /** A publishable key is enough, with the client secret. */
  readonly forGuests: boolean;
  run(call: Call): Wire;
}

const operations = new Map<string, Operation>();

function operation(
  name: string,
  route: string,
  takes: readonly string[],
  run: (call: Call) => Wire,
  forGuests = false,
): void {
  const known = new Set([...takes, 'expand', ...(forGuests ? ['key', 'client_secret'] : [])]);
  operations.set(route, { name, takes: known, forGuests, run });
}

/** A path's shape and ids; null when it is not under /v1. */
export function readPath(path: string): { shape: string; id: string; innerId: string } | null {
  const [empty, version, ...steps] = path.split('/');
  if (empty !== '' || version !== 'v1' || steps.length === 0) return null;
  const start = steps[0] === 'test_helpers' ? 2 : 1;
  const isId = (place: number): boolean => place >= start && (place - start) % 2 === 0;
  const shape = steps.map((step, place) => (isId(place) ? ':' : step)).join('/');
  return { shape, id: steps[start] ?? '', innerId: steps[start + 2] ?? '' };
}

export function findOperation(method: string, shape: string): Operation | undefined {
  return operations.get(`${method} ${shape}`);
}

export const operationNames = (): string[] => [...operations.values()].map(({ name }) => name);

operation('payment_intents.create', 'POST payment_intents', createIntentParams, ({ work, params }) =>
  createIntent(work, params),
);
operation(
  'payment_intents.retrieve',
  'GET payment_intents/:',
  [],
  ({ work, id, params, byGuest }) =>
    byGuest
      ? guestIntentWire(work, guestsIntent(work, id, params))
      : intentWire(
          work,
          params.has('client_secret') ? guestsIntent(work, id, params) : work.need('intents', id, 'intent'),
        ),
  true,
);
operation(
  'payment_intents.update',
  'POST payment_intents/:',
  ['amount', 'description', 'metadata', 'receipt_email', 'setup_future_usage', 'transfer_group'],
  ({ work, id, params }) => updateIntent(work, id, params),
);
operation(
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
  ({ work, id, params, byGuest }) => confirmIntent(work, id, params, byGuest),
  true,
);
operation(
  'payment_intents.capture',
  'POST payment_intents/:/capture',
  ['amount_to_capture', 'final_capture', 'metadata', 'statement_descriptor', 'statement_descriptor_suffix'],
  ({ work, id, params }) => captureIntent(work, id, params),
);
operation('payment_intents.cancel', 'POST payment_intents/:/cancel', ['cancellation_reason'], ({ work, id, params }) =>
  cancelIntent(work, id, params),
);
operation('payment_intents.list', 'GET payment_intents', [...listParams, 'customer'], ({ work, params }) =>
  listRows(params, {
    url: '/v1/payment_intents',
    table: work.draft.tables.intents,
    named: params.text('customer'),
    wire: (row) => intentWire(work, row),
  }),
);

operation('charges.retrieve', 'GET charges/:', [], ({ work, id }) =>
  chargeWire(work, work.need('charges', id, 'charge')),
);
operation('charges.list', 'GET charges', [...listParams, 'payment_intent'], ({ work, params }) =>
  listRows(params, {
    url: '/v1/charges',
    table: work.draft.tables.charges,
    named: params.text('payment_intent'),
    wire: (row) => chargeWire(work, row),
  }),
);

operation(
  'customers.create',
  'POST customers',
  ['email', 'name', 'phone', 'description', 'metadata', 'address', 'shipping', 'preferred_locales'],
  ({ work, params }) =>
    customerWire(
      work,
      work.put('customers', {
        id: work.newId('cus'),
        created: work.now,
        email: params.text('email', 512),
        name: params.text('name', 256),
        phone: params.text('phone'),
        description: params.text('description'),
        metadata: params.metadata(),
      }),
    ),
);
operation('customers.retrieve', 'GET customers/:', [], ({ work, id }) =>
  customerWire(work, work.need('customers', id)),
);
operation('payment_methods.retrieve', 'GET payment_methods/:', [], ({ work, id }) =>
  methodWire(work, work.need('methods', id, 'payment_method')),
);

operation(
  'refunds.create',
  'POST refunds',
  ['charge', 'payment_intent', 'amount', 'reason', 'metadata'],
  ({ work, params }) => createRefund(work, params),
);
operation('refunds.retrieve', 'GET refunds/:', [], ({ work, id }) => refundWire(work, work.need('refunds', id)));
operation('refunds.list', 'GET refunds', [...listParams, 'charge', 'payment_intent'], ({ work, params }) =>
  listRows(params, {
    url: '/v1/refunds',
    table: work.draft.tables.refunds,
    named: params.text('charge') ?? params.text('payment_intent'),
    wire: (row) => refundWire(work, row),
  }),
);

operation(
  'accounts.create',
  'POST accounts',
  [
    'type',
    'controller',
    'country',
    'email',
    'business_profile',
    'business_type',
    'capabilities',
    'company',
    'individual',
    'default_currency',
    'settings',
    'tos_acceptance',
    'metadata',
  ],
  ({ work, params }) => createAccount(work, params),
);
operation('accounts.retrieve', 'GET accounts/:', [], ({ work, id }) => accountWire(work, work.need('accounts', id)));
operation(
  'accounts.update',
  'POST accounts/:',
  ['email', 'business_profile', 'business_type', 'capabilities', 'settings', 'metadata'],
  ({ work, id, params }) => updateAccount(work, id, params),
);
operation(
  'account_links.create',
  'POST account_links',
  ['account', 'refresh_url', 'return_url', 'type', 'collect', 'collection_options'],
  ({ work, params }) => createAccountLink(work, params),
);

const shownTransfer = (work: Work, row: TransferRow): Wire =>
  transferWire(work, row, work.draft.tables.reversals.named(row.id));

operation(
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
  ({ work, params }) => createTransfer(work, params),
);
operation('transfers.retrieve', 'GET transfers/:', [], ({ work, id }) =>
  shownTransfer(work, work.need('transfers', id, 'transfer')),
);
operation('transfers.list', 'GET transfers', [...listParams, 'destination', 'transfer_group'], ({ work, params }) => {
  const [destination, group] = [params.text('destination'), params.text('transfer_group')];
  return listRows(params, {
    url: '/v1/transfers',
    table: work.draft.tables.transfers,
    named: group ?? destination,
    where: (row) =>
      (group === null || row.group === group) && (destination === null || row.destination === destination),
    wire: (row) => shownTransfer(work, row),
  });
});
operation(
  'transfer_reversals.create',
  'POST transfers/:/reversals',
  ['amount', 'description', 'metadata', 'refund_application_fee'],
  ({ work, id, params }) => createReversal(work, id, params),
);
operation('transfer_reversals.list', 'GET transfers/:/reversals', listParams, ({ work, id, params }) => {
  work.need('transfers', id, 'transfer');
  return listRows(params, {
    url: `/v1/transfers/${id}/reversals`,
    table: work.draft.tables.reversals,
    named: id,
    wire: (row) => reversalWire(work, row),
  });
});
operation('transfer_reversals.retrieve', 'GET transfers/:/reversals/:', [], ({ work, innerId }) =>
  reversalWire(work, work.need('reversals', innerId)),
);

operation('balance.retrieve', 'GET balance', [], ({ work }) => readBalance(work));

operation('events.retrieve', 'GET events/:', [], ({ work, id }) => eventWire(work.mode, work.need('events', id)));
operation('events.list', 'GET events', [...listParams, 'type', 'types'], ({ work, params }) => {
  const types = [...params.list('types'), params.text('type') ?? []].flat();
  return listRows(params, {
    url: '/v1/events',
    table: work.draft.tables.events,
    where: (row) => types.length === 0 || types.includes(row.type),
    wire: (row) => eventWire(work.mode, row),
  });
});

operation('disputes.retrieve', 'GET disputes/:', [], ({ work, id }) => disputeWire(work, work.need('disputes', id)));
operation('disputes.close', 'POST disputes/:/close', [], ({ work, id }) => settleDispute(work, id, 'lost'));
operation('disputes.list', 'GET disputes', [...listParams, 'charge', 'payment_intent'], ({ work, params }) =>
  listRows(params, {
    url: '/v1/disputes',
    table: work.draft.tables.disputes,
    named: params.text('charge') ?? params.text('payment_intent'),
    wire: (row) => disputeWire(work, row),
  }),
);
operation(
  'test_helpers.disputes.create',
  'POST test_helpers/disputes',
  ['charge', 'payment_intent', 'amount', 'reason'],
  ({ work, params }) => createDispute(work, params),
);
operation('test_helpers.disputes.won', 'POST test_helpers/disputes/:/won', [], ({ work, id }) =>
  settleDispute(work, id, 'won'),
);
operation('test_helpers.disputes.lost', 'POST test_helpers/disputes/:/lost', [], ({ work, id }) =>
  settleDispute(work, id, 'lost'),
);

const MOST_ENDPOINTS = 16;

/** One endpoint for one address: asking again gives the same one, so that a server may ask at every start. */
operation(
  'webhook_endpoints.create',
  'POST webhook_endpoints',
  ['url', 'enabled_events', 'metadata', 'description', 'api_version', 'connect'],
  ({ work, params }) => {
    const url = params.needText('url');
    if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
      throw invalid('Invalid URL', 'url', 'url_invalid');
    const wanted = params.list('enabled_events');
    const events = wanted.length === 0 ? ['*'] : wanted;
    const { endpoints } = work.draft.tables;
    const known = [...endpoints.oldestFirst()].find((row) => row.url === url);
    if (known === undefined && endpoints.size >= MOST_ENDPOINTS) {
      throw cannot('webhook_endpoints_limit', `You have reached the maximum of ${MOST_ENDPOINTS} webhook endpoints.`);
    }
    const row = work.put('endpoints', {
      id: known?.id ?? work.newId('we'),
      created: known?.created ?? work.now,
      url,
      events,
      metadata: params.metadata(known?.metadata),
      description: params.text('description'),
    });
    return endpointWire(work, row, work.webhookSecret);
  },
);
operation('webhook_endpoints.list', 'GET webhook_endpoints', listParams, ({ work, params }) =>
  listRows(params, {
    url: '/v1/webhook_endpoints',
    table: work.draft.tables.endpoints,
    wire: (row) => endpointWire(work, row),
  }),
);
operation('webhook_endpoints.delete', 'DELETE webhook_endpoints/:', [], ({ work, id }) => {
  work.need('endpoints', id);
  work.draft.remove('endpoints', id);
  return { id, object: 'webhook_endpoint', deleted: true };
});
