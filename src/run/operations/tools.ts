// The tools of the tool server, as data: which operation each of them runs, what it takes and gives, and one line about what
// came of it. The operations are those of the routes; the three that only agents have stand here. How this is told to an
// agent is the tool server's business.

import type { Problem } from '../../base/errors.ts';
import type { SchemaRef } from '../../base/operation.ts';
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
  /** How the operation is handed the arguments: as its body, its query, the parameters of its path, or not at all. */
  readonly takes: 'body' | 'query' | 'params' | 'nothing';
  readonly input: SchemaRef;
  /** The members of what it gives; the rest of a large one is described by the schema that its text names. */
  readonly gives: Readonly<Record<string, object>>;
  /** For whoever asks before a tool is used: does it change anything, does it replace what was there, is twice as good as once? */
  readonly hints: { readonly readOnly: boolean; readonly replaces: boolean; readonly idempotent: boolean };
  /** Told of a member in the list of tools alone: what an agent does better to know, and the check says in words of its own. */
  readonly listed?: Readonly<Record<string, object>>;
  /** From the route's answer to the tool's, which may tell more of the venue. */
  readonly shape?: (
    answer: ResponseBody,
    more: { readonly replayed: boolean; readonly origins: readonly string[] },
  ) => ResponseBody;
  readonly line: (given: ResponseBody) => string;
}

/** Of an answer, which may have further members tomorrow. */
const outline = (properties: Readonly<Record<string, object>>): object => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
});

const READS = { readOnly: true, replaces: false, idempotent: true } as const;
const REPLACES = { readOnly: false, replaces: true, idempotent: true } as const;

const upsertOfferings = operationNamed('upsertOfferings');
if (upsertOfferings.kind !== 'command') throw new Error('upsertOfferings is a command');

/** How a total and a time come about; the prompt says the same. */
export const TOTAL =
  'amount is the party’s whole total: the tier’s amount × party_size (per_person), × the slot’s hours (per_hour) or × 1 (per_group, per_unit), with the slot’s tier_overrides in its place, plus every fee whose included is false. pay_by is the slot’s start less cutoff_minutes. GET /v1/offerings/{id}/slots?from=&to=&party_size= with the same key works both out.';
export const RETURN =
  'return_url is https on one of the origins that describe_venue lists; where there are none, ask whoever runs the service to register the venue’s site: "everyshare venue list" shows the ID, "everyshare venue origin add ID https://…" registers it.';

const ORDER_OF_WORK: readonly string[] = [
  'describe_venue: learn whose key this is, its mode, the category slugs that an offering may carry, and its origins.',
  'Read everyshare://schemas/offering, and everyshare://mappings/<system> when the venue sells from a system that has one.',
  'validate each offering until it answers valid: true; every problem comes with its pointer and a value that would pass.',
  'upsert_offerings with up to 25 at a time; one problem, and nothing is stored. Sending the same again changes nothing.',
  'set_price_tiers and set_availability when prices or times change later: they replace that part and keep the rest.',
  `create_checkout with your own external_booking_id, and give its url to the organizer. ${TOTAL} ${RETURN}`,
  'get_checkout until its status is completed (or expired or canceled): only then is the booking paid. list_bookings shows all.',
];

const ofOffering = { auth: 'secret', scopes: ['offerings:write'], effect: 'write', tag: 'Agents' } as const;
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
    status: { type: 'string', enum: ['open', 'collecting', 'funded', 'completed', 'expired', 'canceled'] },
    amount: { type: 'integer' },
    url: { type: 'string' },
  },
  required: ['id', 'status', 'amount', 'url'],
};
const upserted = { data: storedOffering, duplicate: flag('Nothing was changed.'), updated: flag('It was changed.') };
const count = { type: 'integer', minimum: 0 };

const setTiersOperation: RunnableOperation = {
  ...ofOffering,
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
  ...ofOffering,
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
  summary: 'Try an object against a schema',
  auth: 'secret',
  effect: 'read',
  body: [{ schema: 'validate', when: () => true, itemsOf: '/object' }],
  responses: { 200: { description: 'What is wrong with it.', schema: { type: 'object' } } },
  run: validateObject,
};

const lineOfSet = ({ data, updated }: ResponseBody): string => {
  const { external_id, status } = data as ResponseBody;
  return `Offering ${external_id} ${updated === true ? 'was changed' : 'was so already'}; it is ${status}.`;
};

const lineOfCheckout = (view: ResponseBody): string =>
  `Checkout ${view.id} is ${view.status}: ${view.funded_amount} of ${view.amount} ${view.currency} (minor units) held or paid, pay by ${view.pay_by}.`;

export const tools: readonly Tool[] = [
  {
    name: 'describe_venue',
    title: 'Describe the venue',
    description:
      'Whose key this is: venue, mode, scopes, limits, category slugs, origins for return_url, and the order of work. Call it first.',
    operation: operationNamed('getMe'),
    takes: 'nothing',
    input: closed({}),
    gives: {
      venue: { type: 'object', properties: { id: { type: ['string', 'null'] }, name: { type: 'string' } } },
      mode: { type: 'string', enum: ['test', 'live'] },
      scopes: { type: 'array', items: { type: 'string' } },
      limits: { type: 'object' },
      categories: { type: 'array', items: { type: 'string' } },
      key: { type: 'object' },
      origins: { type: 'array', items: { type: 'string' }, description: 'Where a return_url may lead.' },
      order_of_work: { type: 'array', items: { type: 'string' } },
    },
    hints: READS,
    shape: ({ data }, { origins }) => {
      // The steps of /v1/me are routes, which a tool cannot call.
      const { next_steps, ...rest } = data as ResponseBody;
      return { ...rest, origins, order_of_work: ORDER_OF_WORK };
    },
    line: ({ venue, mode, scopes }) =>
      `${(venue as ResponseBody).name}, ${mode} mode, ${(scopes as readonly string[]).length} scopes.`,
  },
  {
    name: 'validate',
    title: 'Try an object without sending it',
    description:
      'A dry run: holds `object` against the published schema and every rule that sending it would meet now, and lists every problem with its JSON pointer into `object`, what was expected and a value that would pass. Nothing is stored.',
    operation: validateOperation,
    takes: 'body',
    input: 'validate',
    listed: { object: { type: 'object' } },
    gives: { valid: { type: 'boolean' }, errors: { type: 'array', items: { type: 'object' } } },
    hints: READS,
    line: ({ valid, errors }) => {
      const { length } = errors as readonly unknown[];
      return valid === true ? 'Valid.' : `Not valid: ${length} ${length === 1 ? 'problem' : 'problems'}.`;
    },
  },
  {
    name: 'upsert_offerings',
    title: 'Create or change offerings',
    description:
      'Creates or replaces 1 to 25 offerings by `external_id`. All are checked first: one problem, and none is stored. New ones wait for review. Amounts are integers in minor units; times carry an offset.',
    operation: { ...upsertOfferings, body: only('offering_batch') },
    takes: 'body',
    input: 'offering_batch',
    gives: {
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
    hints: REPLACES,
    line: ({ summary }) => {
      const { created, updated, unchanged } = summary as ResponseBody;
      return `${created} created, ${updated} updated, ${unchanged} unchanged.`;
    },
  },
  {
    name: 'set_price_tiers',
    title: 'Replace the prices of an offering',
    description: 'Replaces all `tiers` of an offering that is known, and keeps the rest of it. Not reviewed again.',
    operation: setTiersOperation,
    takes: 'body',
    input: 'set_price_tiers',
    gives: upserted,
    hints: REPLACES,
    line: lineOfSet,
  },
  {
    name: 'set_availability',
    title: 'Replace the availability of an offering',
    description:
      'Replaces the whole `availability` of an offering that is known, and keeps the rest of it. Not reviewed again.',
    operation: setAvailabilityOperation,
    takes: 'body',
    input: 'set_availability',
    gives: upserted,
    hints: REPLACES,
    line: lineOfSet,
  },
  {
    name: 'create_checkout',
    title: 'Create a checkout for a party',
    description:
      'For the party’s whole total; give `url` to the organizer, who invites the others. `external_booking_id` is the idempotency key: the same call again gives the same checkout. Nobody is charged until every share is held.',
    operation: operationNamed('createCheckout'),
    takes: 'body',
    input: 'checkout_create',
    gives: { checkout, url: { type: 'string' }, replayed: flag('It was created by an earlier, equal call.') },
    hints: { readOnly: false, replaces: false, idempotent: true },
    shape: (view, { replayed }) => ({ checkout: view, url: view.url, replayed }),
    line: ({ checkout: view, url, replayed }) =>
      `Checkout ${(view as ResponseBody).id} ${replayed === true ? 'was created before' : 'is created'}: send the organizer to ${url}`,
  },
  {
    name: 'get_checkout',
    title: 'Get one checkout',
    description: 'One checkout with its shares. The booking is paid when `status` is `completed`, and not before.',
    operation: operationNamed('getCheckout'),
    takes: 'params',
    input: closed({
      id: { type: 'string', description: 'The id of the checkout.', examples: ['chk_01k9z8w3v5r6t7y8'] },
    }),
    gives: { ...checkout.properties },
    hints: READS,
    line: lineOfCheckout,
  },
  {
    name: 'list_bookings',
    title: 'List the venue’s checkouts',
    description:
      'Newest first, 50 unless `limit` says otherwise. `next_before` of one page is `before` of the next; null ends it.',
    operation: { ...operationNamed('listCheckouts'), scopes: ['bookings:read', 'checkouts:read'] },
    takes: 'query',
    input: operationNamed('listCheckouts').query ?? {},
    gives: { data: { type: 'array', items: checkout }, next_before: { type: ['string', 'null'] } },
    hints: READS,
    line: ({ data, next_before }) => {
      const { length } = data as readonly unknown[];
      return `${length} ${length === 1 ? 'checkout' : 'checkouts'}${next_before === null ? '.' : ', and there are more.'}`;
    },
  },
];

export function toolNamed(name: unknown): Tool | null {
  return tools.find((tool) => tool.name === name) ?? null;
}

/** Whether a refusal is about the tool, and so its result; whatever is about the key is the door's. */
export function isOfTool(refusal: Problem): boolean {
  return ['insufficient_scope', 'venue_not_linked', 'rate_limited'].includes(refusal.code);
}
