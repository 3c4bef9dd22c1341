// `everyshare trigger EVENT`: creates a test checkout (or offering) and brings it to the state that causes the event. It
// calls the same operations as a partner, so holds, captures and deliveries happen too.

import type { JsonValue } from '../base/json/parse.ts';
import { listEventViews } from '../domain/events/queries.ts';
import type { Caller } from '../domain/keys/caller.ts';
import type { AppContext } from '../run/context.ts';
import { operationNamed } from '../run/operations.ts';
import { makePerform } from '../run/perform.ts';
import { quoted, usageError } from './cli-error.ts';
import type { Command } from './command-definition.ts';
import { block } from './table.ts';
import { testCaller, VENUE_OPTION, venueIn } from './test-venue.ts';

const DAY_MS = 24 * 3_600_000;
const RETURN_ORIGIN = 'https://example.com';

// biome-ignore lint/suspicious/noExplicitAny: the JSON of a response is read here without types, as a partner reads it.
type ApiResult = any;
interface Partner {
  /** Calls an operation as the venue's partner. */
  call(operation: string, id: string | null, body?: JsonValue): Promise<ApiResult>;
  /** In milliseconds; also makes external ids unique. */
  readonly now: number;
}

/** The calls that cause each event. Each scenario returns the event's subject. */
const SCENARIOS: Readonly<Record<string, (partner: Partner) => Promise<ApiResult>>> = {
  'checkout.created': create,
  'checkout.collecting': collect,
  'share.held': async (partner) => {
    const { id, shares } = await collect(partner);
    return partner.call('testHold', id, { share_id: shares[0].id });
  },
  'checkout.funded': async (partner) => partner.call('testHold', (await collect(partner)).id, {}),
  'checkout.completed': complete,
  'checkout.expired': async (partner) => partner.call('testExpire', (await create(partner)).id),
  'checkout.canceled': async (partner) => partner.call('cancelCheckout', (await create(partner)).id),
  'refund.created': async (partner) =>
    partner.call('refundCheckout', (await complete(partner)).id, { reason: 'everyshare trigger' }),
  'offering.approved': (partner) => review(partner, { status: 'approved' }),
  'offering.rejected': (partner) => review(partner, { status: 'rejected', review_note: 'everyshare trigger' }),
};

function create({ call, now }: Partner): Promise<ApiResult> {
  return call('createCheckout', null, {
    amount: 24_000,
    currency: 'usd',
    party_size: 4,
    pay_by: new Date(now + DAY_MS).toISOString(),
    description: 'Triggered: cabana 3, Saturday',
    return_url: `${RETURN_ORIGIN}/bookings/triggered`,
    external_booking_id: `triggered-${now}`,
    metadata: { triggered: 'yes' },
  });
}

async function collect(partner: Partner): Promise<ApiResult> {
  return partner.call('testCollect', (await create(partner)).id);
}

async function complete(partner: Partner): Promise<ApiResult> {
  return partner.call('testComplete', (await create(partner)).id);
}

async function review({ call, now }: Partner, decision: Readonly<Record<string, string>>): Promise<ApiResult> {
  const { data } = await call('upsertOfferings', null, {
    external_id: `triggered-${now}`,
    kind: 'cabana',
    title: 'Triggered: a cabana',
    tiers: [{ amount: 24_000, currency: 'usd', unit: 'per_group' }],
  });
  await call('testReview', null, { id: data.id, ...decision });
  return data;
}

function partnerFor(context: AppContext, caller: Caller): Partner {
  const perform = makePerform(context);
  return {
    now: caller.now,
    async call(name, id, body) {
      const received = {
        params: id === null ? {} : { id },
        query: {},
        ...(body === undefined ? {} : { parsedBody: body }),
      };
      const reply = await perform(operationNamed(name), { ...caller, now: context.clock.now() }, received);
      return JSON.parse(reply.json);
    },
  };
}

const trigger: Command = {
  words: ['trigger'],
  arguments: ['EVENT'],
  help: 'bring a test checkout to the state that causes an event, so that the event is sent',
  options: [VENUE_OPTION],
  async run(input, open) {
    const type = input.argument(0);
    const scenario = SCENARIOS[type];
    if (scenario === undefined)
      throw usageError(`there is no event ${quoted(type)} to trigger: there are ${Object.keys(SCENARIOS).join(', ')}.`);
    const venueId = venueIn(input);
    const { context, command } = await open();
    const caller = await testCaller(context.db, command, venueId);
    const { config, address } = context;
    const pages = config.checkoutPageBase ?? (address.base || `http://${config.host}:${config.port}`);
    // The checkout's return_url must be allowed, whichever origins the venue has registered.
    const venue = { ...caller.venue, origins: [...caller.venue.origins, RETURN_ORIGIN] };
    const subject = await scenario(partnerFor(context, { ...caller, venue, checkoutUrl: (id) => `${pages}/c/${id}` }));
    const filter = { type, subject: subject.id, before: null, limit: 1 };
    const [event] = await listEventViews(context.db, venue.id, 'test', filter);
    if (event === undefined) throw new Error(`${subject.id} did not cause ${type}`);
    return {
      json: { event: JSON.parse(event.json) },
      text: block([
        ['event', `${type} ${event.id}`],
        ['about', subject.id],
        ['venue', venue.id],
      ]),
    };
  },
};

export const triggerCommands: readonly Command[] = [trigger];
