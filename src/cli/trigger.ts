// `everyshare trigger EVENT`: creates a test checkout (or offering) and brings it to the state that causes the event. It
// calls the same operations as a partner, so holds, captures and deliveries happen too: at the server of the user's
// login, over the API, or in the installation on this machine.

import { type Everyshare, InvalidRequestError } from '../../sdk/src/everyshare.ts';
import { systemClock } from '../base/clock.ts';
import type { JsonValue } from '../base/json/parse.ts';
import { isSubscribable } from '../domain/events/event-types.ts';
import { listEventViews } from '../domain/events/queries.ts';
import type { Caller } from '../domain/keys/caller.ts';
import type { AppContext } from '../run/context.ts';
import { operationNamed } from '../run/operations.ts';
import { makePerform } from '../run/perform.ts';
import { commandError, quoted, usageError } from './cli-error.ts';
import type { Command, OpenContext } from './command-definition.ts';
import { LOG_ONLY } from './events.ts';
import type { Login } from './login-file.ts';
import { explainApiError, remoteClient, testLogin } from './remote.ts';
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

interface Triggered {
  /** The event as the event log has it. */
  readonly event: ApiResult;
  readonly venue: string;
}

type Scenario = (partner: Partner) => Promise<ApiResult>;

/** In the installation on this machine. */
async function triggerHere(
  open: OpenContext,
  venueId: string | null,
  type: string,
  scenario: Scenario,
): Promise<Triggered> {
  const { context, command } = await open();
  const caller = await testCaller(context.db, command, venueId);
  const { config, address } = context;
  const pages = config.checkoutPageBase ?? (address.base || `http://${config.host}:${config.port}`);
  // The checkout's return_url must be allowed, whichever origins the venue has registered.
  const venue = { ...caller.venue, origins: [...caller.venue.origins, RETURN_ORIGIN] };
  const subject = await scenario(localPartner(context, { ...caller, venue, checkoutUrl: (id) => `${pages}/c/${id}` }));
  const filter = { type, subject: subject.id, before: null, limit: 1 };
  const [event] = await listEventViews(context.db, venue.id, 'test', filter);
  if (event === undefined) throw new Error(`${subject.id} did not cause ${type}`);
  return { event: JSON.parse(event.json), venue: venue.id };
}

function localPartner(context: AppContext, caller: Caller): Partner {
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

/** The operations of the scenarios, over the API. */
const REMOTE_CALLS: Readonly<
  Record<string, (client: Everyshare, id: string, body: ApiResult) => PromiseLike<unknown>>
> = {
  createCheckout: (client, _id, body) => createWithReturnUrl(client, body),
  cancelCheckout: ({ checkouts }, id) => checkouts.cancel(id),
  refundCheckout: ({ checkouts }, id, body) => checkouts.refund(id, body),
  upsertOfferings: ({ offerings }, _id, body) => offerings.upsert(body),
  testReview: ({ testHelpers }, _id, body) => testHelpers.review(body),
  testCollect: ({ testHelpers }, id) => testHelpers.checkouts.collect(id),
  testHold: ({ testHelpers }, id, body) => testHelpers.checkouts.hold(id, body),
  testComplete: ({ testHelpers }, id) => testHelpers.checkouts.complete(id),
  testExpire: ({ testHelpers }, id) => testHelpers.checkouts.expire(id),
};

/** The server knows the venue's origins: if the address is on none of them, its error names one that is. */
async function createWithReturnUrl(client: Everyshare, body: ApiResult): Promise<unknown> {
  try {
    return await client.checkouts.create(body);
  } catch (error) {
    const problem = error instanceof InvalidRequestError ? error.errors[0] : undefined;
    const address = problem?.field === '/return_url' ? problem.example_fix : body.return_url;
    if (address === body.return_url) throw error;
    return client.checkouts.create({ ...body, return_url: address });
  }
}

/** At the server of the login. */
async function triggerThere(login: Login, type: string, scenario: Scenario): Promise<Triggered> {
  const client = remoteClient(login);
  const partner: Partner = {
    now: systemClock.now(),
    async call(name, id, body) {
      const call = REMOTE_CALLS[name];
      if (call === undefined) throw new Error(`there is no call ${name}`);
      return call(client, id ?? '', body);
    },
  };
  return explainApiError(login.url, async () => {
    const subject = await scenario(partner);
    const newest = await client.events.list({ type: type as never, limit: 100 });
    const event = newest.data.find(({ data }) => data.object.id === subject.id);
    if (event === undefined) throw commandError(`${subject.id} did not cause ${type}`);
    return { event, venue: login.venue };
  });
}

const trigger: Command = {
  words: ['trigger'],
  arguments: ['EVENT'],
  help: 'bring a test checkout to the state that causes an event, so that the event is sent',
  options: [VENUE_OPTION],
  async run(input, open, readSettings, configFolder) {
    const type = input.argument(0);
    const scenario = SCENARIOS[type];
    if (scenario === undefined)
      throw usageError(`there is no event ${quoted(type)} to trigger: there are ${Object.keys(SCENARIOS).join(', ')}.`);
    const venueId = venueIn(input);
    const login = testLogin(input, configFolder, readSettings);
    const { event, venue } =
      login === null ? await triggerHere(open, venueId, type, scenario) : await triggerThere(login, type, scenario);
    const lines = [
      ['event', `${type} ${event.id}`],
      ['about', event.data.object.id],
      ['venue', venue],
    ];
    if (!isSubscribable(type)) lines.push([LOG_ONLY, 'no webhook endpoint can subscribe to this type']);
    return { json: { event }, text: block(lines) };
  },
};

export const triggerCommands: readonly Command[] = [trigger];
