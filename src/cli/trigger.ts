// `everyshare trigger EVENT`: makes a real test checkout (or offering) reach the state that the event tells of, through the
// same operations that a partner calls, so that everything that belongs to it happens: holds, captures, deliveries.

import type { JsonValue } from '../base/json/parse.ts';
import { listEventViews } from '../domain/events/queries.ts';
import type { Caller } from '../domain/keys/caller.ts';
import type { AppContext } from '../run/context.ts';
import { operationNamed } from '../run/operations.ts';
import { makePerform } from '../run/perform.ts';
import { quoted, usageError } from './cli-error.ts';
import type { Command } from './shape.ts';
import { block } from './table.ts';
import { namedVenue, testCaller, VENUE } from './test-venue.ts';

const DAY = 24 * 3_600_000;
const ORIGIN = 'https://example.com';

// biome-ignore lint/suspicious/noExplicitAny: what an operation answers is looked into here as a partner would.
type Seen = any;
interface Partner {
  /** Calls an operation as the venue's partner would. */
  ask(operation: string, id: string | null, body?: JsonValue): Promise<Seen>;
  /** Now, in milliseconds; also what makes an id of ours. */
  readonly now: number;
}

/** What leads to each event; gives the object that it is about. */
const WAYS: Readonly<Record<string, (partner: Partner) => Promise<Seen>>> = {
  'checkout.created': create,
  'checkout.collecting': collect,
  'share.held': async (partner) => {
    const { id, shares } = await collect(partner);
    return partner.ask('testHold', id, { share_id: shares[0].id });
  },
  'checkout.funded': async (partner) => partner.ask('testHold', (await collect(partner)).id, {}),
  'checkout.completed': complete,
  'checkout.expired': async (partner) => partner.ask('testExpire', (await create(partner)).id),
  'checkout.canceled': async (partner) => partner.ask('cancelCheckout', (await create(partner)).id),
  'refund.created': async (partner) =>
    partner.ask('refundCheckout', (await complete(partner)).id, { reason: 'everyshare trigger' }),
  'offering.approved': (partner) => review(partner, { status: 'approved' }),
  'offering.rejected': (partner) => review(partner, { status: 'rejected', review_note: 'everyshare trigger' }),
};

function create({ ask, now }: Partner): Promise<Seen> {
  return ask('createCheckout', null, {
    amount: 24_000,
    currency: 'usd',
    party_size: 4,
    pay_by: new Date(now + DAY).toISOString(),
    description: 'Triggered: cabana 3, Saturday',
    return_url: `${ORIGIN}/bookings/triggered`,
    external_booking_id: `triggered-${now}`,
    metadata: { triggered: 'yes' },
  });
}

async function collect(partner: Partner): Promise<Seen> {
  return partner.ask('testCollect', (await create(partner)).id);
}

async function complete(partner: Partner): Promise<Seen> {
  return partner.ask('testComplete', (await create(partner)).id);
}

async function review({ ask, now }: Partner, decision: Readonly<Record<string, string>>): Promise<Seen> {
  const { data } = await ask('upsertOfferings', null, {
    external_id: `triggered-${now}`,
    kind: 'cabana',
    title: 'Triggered: a cabana',
    tiers: [{ amount: 24_000, currency: 'usd', unit: 'per_group' }],
  });
  await ask('testReview', null, { id: data.id, ...decision });
  return data;
}

function partnerOf(context: AppContext, caller: Caller): Partner {
  const perform = makePerform(context);
  return {
    now: caller.now,
    async ask(name, id, body) {
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
  help: 'make a test checkout reach the state that an event tells of, so that the event is sent',
  options: [VENUE],
  async run(given, open) {
    const type = given.argument(0);
    const way = WAYS[type];
    if (way === undefined)
      throw usageError(`there is no event ${quoted(type)} to trigger: there are ${Object.keys(WAYS).join(', ')}.`);
    const venueId = namedVenue(given);
    const { context, command } = await open();
    const caller = await testCaller(context.db, command, venueId);
    const { config, address } = context;
    const pages = config.checkoutPageBase ?? (address.base || `http://${config.host}:${config.port}`);
    // Its guests come back to an address of ours, whichever origins the venue has registered.
    const venue = { ...caller.venue, origins: [...caller.venue.origins, ORIGIN] };
    const made = await way(partnerOf(context, { ...caller, venue, checkoutUrl: (id) => `${pages}/c/${id}` }));
    const filter = { type, subject: made.id, before: null, limit: 1 };
    const [event] = await listEventViews(context.db, venue.id, 'test', filter);
    if (event === undefined) throw new Error(`${made.id} did not come to ${type}`);
    return {
      json: { event: JSON.parse(event.json) },
      text: block([
        ['event', `${type} ${event.id}`],
        ['about', made.id],
        ['venue', venue.id],
      ]),
    };
  },
};

export const triggerCommands: readonly Command[] = [trigger];
