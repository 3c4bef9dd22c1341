// The tools of the tool server, as data: the operation that each tool runs, its input, its output, and one line that
// sums up its result. Most operations are those of the routes; the three that only agents have are declared here.

import type { Problem } from '../../base/errors.ts';
import type { SchemaRef } from '../../base/operation.ts';
import { CHECKOUT_STATUSES } from '../../domain/checkouts/transitions.ts';
import { setAvailability, setPriceTiers } from '../../domain/offerings/replace-part.ts';
import type { RunnableOperation } from '../app-operation.ts';
import { operationNamed } from '../operations.ts';
import { validateObject } from '../validate-object.ts';
import { closed, enveloped, flag, only } from './shapes.ts';

type ResponseBody = Readonly<Record<string, unknown>>;

export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly operation: RunnableOperation;
  /** Where the arguments go in the operation's input. */
  readonly argumentsAs: 'body' | 'query' | 'params' | 'nothing';
  readonly input: SchemaRef;
  /** The members of the result; a large member names the schema that describes the rest of it. */
  readonly output: Readonly<Record<string, object>>;
  /** For a client that asks its user before a tool runs: what the tool does to the data. */
  readonly hints: { readonly readOnly: boolean; readonly replaces: boolean; readonly idempotent: boolean };
  /**
   * Schema keywords that only the list of tools shows: the operation reports such a problem with a message of its own.
   */
  readonly listedKeywords?: Readonly<Record<string, object>>;
  /** Turns the route's response into the tool's result. */
  readonly shape?: (
    response: ResponseBody,
    more: { readonly replayed: boolean; readonly origins: readonly string[] },
  ) => ResponseBody;
  readonly summarize: (given: ResponseBody) => string;
}

/** A response that may have further members in a later release. */
const outline = (properties: Readonly<Record<string, object>>): object => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
});

const READ_HINTS = { readOnly: true, replaces: false, idempotent: true } as const;
const REPLACE_HINTS = { readOnly: false, replaces: true, idempotent: true } as const;

const upsertOfferings = operationNamed('upsertOfferings');
if (upsertOfferings.kind !== 'command') throw new Error('upsertOfferings is a command');

/** How an agent works out a total and a time; the prompt uses the same text. */
export const TOTAL_RULE =
  'amount is the party’s whole total: the tier’s amount × party_size (per_person), × the slot’s hours (per_hour) or × 1 (per_group, per_unit), with the slot’s tier_overrides in its place, plus every fee whose included is false. pay_by is the slot’s start less cutoff_minutes. GET /v1/offerings/{id}/slots?from=&to=&party_size= with the same key works both out.';
export const RETURN_URL_RULE =
  'return_url is https on one of the origins that describe_venue lists; where it lists none, ask the operator of the service to register the venue’s site: "everyshare venue list" shows the ID, "everyshare venue origin add ID https://…" registers it.';

const ORDER_OF_WORK: readonly string[] = [
  'describe_venue: the venue and mode of the key, the category slugs that an offering may carry, and its origins.',
  'Read everyshare://schemas/offering, and everyshare://mappings/<system> when the venue sells from a system that has one.',
  'validate each offering until the answer is valid: true; every problem has a pointer and a value that would pass.',
  'upsert_offerings with up to 25 at a time; if one has a problem, nothing is stored. Sending the same again changes nothing.',
  'set_price_tiers and set_availability when prices or times change later: they replace that part and keep the rest.',
  `create_checkout with your own external_booking_id, and give its url to the organizer. ${TOTAL_RULE} ${RETURN_URL_RULE}`,
  'get_checkout until its status is completed (or expired or canceled): only then is the booking paid. list_bookings shows all.',
];

const OFFERING_WRITE = { auth: 'secret', scopes: ['offerings:write'], effect: 'write', tag: 'Agents' } as const;
const storedOffering = {
  type: 'object',
  description: 'The offering as it now is: everyshare://schemas/stored_offering.',
  properties: { id: { type: 'string' }, external_id: { type: 'string' }, status: { type: 'string' } },
  required: ['id', 'external_id', 'status'],
};
const checkout = {
  type: 'object',
  description: 'everyshare://schemas/checkout.',
  properties: {
    id: { type: 'string' },
    status: { type: 'string', enum: CHECKOUT_STATUSES },
    amount: { type: 'integer' },
    url: { type: 'string' },
  },
  required: ['id', 'status', 'amount', 'url'],
};
const upserted = { data: storedOffering, duplicate: flag('Nothing was changed.'), updated: flag('It was changed.') };
const count = { type: 'integer', minimum: 0 };

const setTiersOperation: RunnableOperation = {
  ...OFFERING_WRITE,
  id: 'setPriceTiers',
  kind: 'command',
  method: 'POST',
  path: '/mcp',
  summary: 'Replace the prices of an offering',
  body: only('set_price_tiers'),
  responses: { 200: enveloped('The offering.', 'stored_offering') },
  run: setPriceTiers,
};

const setAvailabilityOperation: RunnableOperation = {
  ...OFFERING_WRITE,
  id: 'setAvailability',
  kind: 'command',
  method: 'POST',
  path: '/mcp',
  summary: 'Replace the availability of an offering',
  body: only('set_availability'),
  responses: { 200: enveloped('The offering.', 'stored_offering') },
  run: setAvailability,
};

const validateOperation: RunnableOperation = {
  id: 'validateObject',
  kind: 'external',
  method: 'POST',
  path: '/mcp',
  tag: 'Agents',
  summary: 'Validate an object against a schema',
  auth: 'secret',
  effect: 'read',
  body: [{ schema: 'validate', when: () => true, itemsOf: '/object' }],
  responses: { 200: { description: 'The problems of the object.', schema: { type: 'object' } } },
  run: validateObject,
};

const describeChange = ({ data, updated }: ResponseBody): string => {
  const { external_id, status } = data as ResponseBody;
  return `Offering ${external_id} ${updated === true ? 'was changed' : 'was unchanged'}; it is ${status}.`;
};

const describeCheckout = (view: ResponseBody): string =>
  `Checkout ${view.id} is ${view.status}: ${view.funded_amount} of ${view.amount} ${view.currency} (minor units) held or paid, pay by ${view.pay_by}.`;

export const tools: readonly Tool[] = [
  {
    name: 'describe_venue',
    title: 'Describe the venue',
    description:
      'The venue of the key, its mode, scopes, limits, category slugs, origins for return_url, and the order of work. Call it first.',
    operation: operationNamed('getMe'),
    argumentsAs: 'nothing',
    input: closed({}),
    output: {
      venue: { type: 'object', properties: { id: { type: ['string', 'null'] }, name: { type: 'string' } } },
      mode: { type: 'string', enum: ['test', 'live'] },
      scopes: { type: 'array', items: { type: 'string' } },
      limits: { type: 'object' },
      categories: { type: 'array', items: { type: 'string' } },
      key: { type: 'object' },
      origins: { type: 'array', items: { type: 'string' }, description: 'Where a return_url may lead.' },
      order_of_work: { type: 'array', items: { type: 'string' } },
    },
    hints: READ_HINTS,
    shape: ({ data }, { origins }) => {
      // The next steps of /v1/me name routes, which an agent cannot call as tools.
      const { next_steps, ...rest } = data as ResponseBody;
      // An origin of http serves trials of the embed: no return_url may lead there.
      const usable = origins.filter((origin) => origin.startsWith('https:'));
      return { ...rest, origins: usable, order_of_work: ORDER_OF_WORK };
    },
    summarize: ({ venue, mode, scopes }) =>
      `${(venue as ResponseBody).name}, ${mode} mode, ${(scopes as readonly string[]).length} scopes.`,
  },
  {
    name: 'validate',
    title: 'Validate an object without sending it',
    description:
      'A dry run: checks `object` against the published schema and every rule that would apply if it were sent now, and lists every problem with its JSON pointer into `object`, what was expected and a value that would pass. Nothing is stored.',
    operation: validateOperation,
    argumentsAs: 'body',
    input: 'validate',
    listedKeywords: { object: { type: 'object' } },
    output: { valid: { type: 'boolean' }, errors: { type: 'array', items: { type: 'object' } } },
    hints: READ_HINTS,
    summarize: ({ valid, errors }) => {
      const { length } = errors as readonly unknown[];
      return valid === true ? 'Valid.' : `Not valid: ${length} ${length === 1 ? 'problem' : 'problems'}.`;
    },
  },
  {
    name: 'upsert_offerings',
    title: 'Create or change offerings',
    description:
      'Creates or replaces 1 to 25 offerings by `external_id`. All are checked first: if one has a problem, none is stored. New offerings wait for review. Amounts are integers in minor units; times carry an offset.',
    operation: { ...upsertOfferings, body: only('offering_batch') },
    argumentsAs: 'body',
    input: 'offering_batch',
    output: {
      results: {
        type: 'array',
        items: outline({
          index: count,
          external_id: { type: 'string' },
          result: { type: 'string', enum: ['created', 'updated', 'unchanged'] },
          data: storedOffering,
        }),
      },
      summary: outline({ total: count, created: count, updated: count, unchanged: count }),
    },
    hints: REPLACE_HINTS,
    summarize: ({ summary }) => {
      const { created, updated, unchanged } = summary as ResponseBody;
      return `${created} created, ${updated} updated, ${unchanged} unchanged.`;
    },
  },
  {
    name: 'set_price_tiers',
    title: 'Replace the prices of an offering',
    description:
      'Replaces all `tiers` of a stored offering and keeps the rest of it. It is not reviewed again, unless it was rejected.',
    operation: setTiersOperation,
    argumentsAs: 'body',
    input: 'set_price_tiers',
    output: upserted,
    hints: REPLACE_HINTS,
    summarize: describeChange,
  },
  {
    name: 'set_availability',
    title: 'Replace the availability of an offering',
    description:
      'Replaces the whole `availability` of a stored offering and keeps the rest of it. It is not reviewed again, unless it was rejected.',
    operation: setAvailabilityOperation,
    argumentsAs: 'body',
    input: 'set_availability',
    output: upserted,
    hints: REPLACE_HINTS,
    summarize: describeChange,
  },
  {
    name: 'create_checkout',
    title: 'Create a checkout for a party',
    description:
      '`amount` is the party’s whole total. Give `url` to the organizer, who invites the others. `external_booking_id` is the idempotency key: the same call again gives the same checkout. No card is charged until every share is held.',
    operation: operationNamed('createCheckout'),
    argumentsAs: 'body',
    input: 'checkout_create',
    output: { checkout, url: { type: 'string' }, replayed: flag('An earlier, equal call created it.') },
    hints: { readOnly: false, replaces: false, idempotent: true },
    shape: (view, { replayed }) => ({ checkout: view, url: view.url, replayed }),
    summarize: ({ checkout: view, url, replayed }) =>
      `Checkout ${(view as ResponseBody).id} ${replayed === true ? 'was created before' : 'is created'}: send the organizer to ${url}`,
  },
  {
    name: 'get_checkout',
    title: 'Get one checkout',
    description: 'One checkout with its shares. The booking is paid only when `status` is `completed`.',
    operation: operationNamed('getCheckout'),
    argumentsAs: 'params',
    input: closed({
      id: { type: 'string', description: 'The id of the checkout.', examples: ['chk_01k9z8w3v5r6t7y8'] },
    }),
    output: { ...checkout.properties },
    hints: READ_HINTS,
    summarize: describeCheckout,
  },
  {
    name: 'list_bookings',
    title: 'List the venue’s checkouts',
    description:
      'Newest first, 50 unless `limit` says otherwise. `next_before` of one page is `before` of the next; null on the last page.',
    operation: { ...operationNamed('listCheckouts'), scopes: ['bookings:read', 'checkouts:read'] },
    argumentsAs: 'query',
    input: operationNamed('listCheckouts').query ?? {},
    output: { data: { type: 'array', items: checkout }, next_before: { type: ['string', 'null'] } },
    hints: READ_HINTS,
    summarize: ({ data, next_before }) => {
      const { length } = data as readonly unknown[];
      return `${length} ${length === 1 ? 'checkout' : 'checkouts'}${next_before === null ? '.' : ', and there are more.'}`;
    },
  },
];

export function toolNamed(name: unknown): Tool | null {
  return tools.find((tool) => tool.name === name) ?? null;
}

/** A refusal that is the result of the tool. Every other refusal concerns the key, and is an HTTP error. */
export function isToolRefusal(refusal: Problem): boolean {
  return ['insufficient_scope', 'venue_not_linked', 'rate_limited'].includes(refusal.code);
}
