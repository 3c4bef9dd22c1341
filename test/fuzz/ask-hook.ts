// Deliveries of venue systems and notices of the card processor: real ones, broken ones with a good signature over just those
// bytes, and good ones with a bad signature.

import { createHmac } from 'node:crypto';
import { brokenText, damagedBytes } from './breaks.ts';
import { samplesOf, signed } from './connections.ts';
import {
  addOddHeader,
  addressOf,
  type Draft,
  finished,
  NASTY_WORDS,
  type RequestContext,
  setOddMethod,
  setOddPath,
} from './draw.ts';
import type { Json } from './mutations.ts';
import type { Request } from './send.ts';

export const HOOK = 'receiveHook';
export const NOTICE = 'POST /processor/notices/:mode';
export const labelOfHook = (provider: string): string => `hook:${provider}`;

export function askHook(drawing: RequestContext): Request {
  const { random, fixture, number, contract, limitOf } = drawing;
  const hook = random.pick(fixture.hooks);
  const samples = samplesOf(random.often(0.95) ? hook.provider : random.pick(fixture.hooks).provider);
  const value = marked(drawing, random.pick(samples));
  const draft: Draft = {
    label: labelOfHook(hook.provider),
    method: 'POST',
    path: hook.path,
    query: '',
    headers: { 'x-forwarded-for': addressOf(number), 'content-type': 'application/json' },
    body: Buffer.from(JSON.stringify(value)),
  };
  const way = random.below(10);
  if (way <= 4) draft.body = Buffer.from(brokenText(random, contract, value, {}));
  if (way === 5) {
    const sent = damagedBytes(random, JSON.stringify(value), hook.provider === 'toast' ? 1_048_576 : limitOf(HOOK));
    draft.body = sent.body;
    Object.assign(draft.headers, sent.headers ?? {});
    if (sent.isTooLarge === true) draft.isHopeless = true;
  }
  // The clock is the real one: a signature is good for five minutes around it.
  Object.assign(draft.headers, signed(hook, draft.body ?? Buffer.alloc(0), Date.now()));
  if (random.often(0.12)) spoil(drawing, draft);
  return finished(drawing, draft);
}

/** An id of its own, where the body has one, so that it is not only the first one again. */
function marked({ random, number }: RequestContext, value: Json): Json {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || random.often(0.2)) return value;
  const id = ['event_id', 'eventId', 'guid', 'messageId', 'id'].find((name) => typeof value[name] === 'string');
  return id === undefined ? value : { ...value, [id]: `fz-${number}` };
}

const BAD_SIGNATURES = ['', 'x', 't=1,v1=00', '\xff', 'x'.repeat(5000), 't=,v1='];

function spoil(drawing: RequestContext, draft: Draft): void {
  const { random } = drawing;
  const signature = Object.keys(draft.headers).find((name) => name.includes('signature'));
  const ways: (() => void)[] = [
    () => void (signature !== undefined && delete draft.headers[signature]),
    () => Object.assign(draft.headers, { [signature ?? 'x-signature']: random.pick(BAD_SIGNATURES) }),
    () => Object.assign(draft, { path: draft.path.replace(/[^/]+$/, random.pick(NASTY_WORDS)) }),
    () =>
      Object.assign(draft, {
        path: draft.path.replace(/hooks\/[^/]+/, `hooks/${random.pick(['square', 'custom', 'x', '__proto__', '%00'])}`),
      }),
    () => addOddHeader(drawing, draft),
    () => setOddMethod(drawing, draft),
    () => setOddPath(drawing, draft),
    () => Object.assign(draft, { body: null }),
  ];
  random.pick(ways)();
}

const NOTICES: readonly Json[] = [
  {
    id: 'evt_1',
    object: 'event',
    type: 'payment_intent.amount_capturable_updated',
    livemode: false,
    created: 1_800_000_000,
    data: { object: { id: 'pi_1', object: 'payment_intent', metadata: { venue_id: 'x', hold_id: 'y' } } },
  },
  {
    id: 'evt_2',
    object: 'event',
    type: 'payment_intent.payment_failed',
    livemode: false,
    created: 1_800_000_000,
    data: {
      object: {
        id: 'pi_1',
        object: 'payment_intent',
        latest_charge: 'ch_1',
        metadata: {
          venue_id: '0197f2c4-6a10-7c3e-9b1d-5f2a8c4e7d10',
          hold_id: '0197f2c4-6a10-7c3e-9b1d-5f2a8c4e7d10',
          checkout_id: 'chk_1',
          share_id: 'shr_1',
        },
      },
    },
  },
  {
    id: 'evt_3',
    object: 'event',
    type: 'charge.dispute.created',
    livemode: false,
    created: 1_800_000_000,
    data: {
      object: {
        id: 'dp_1',
        object: 'dispute',
        charge: 'ch_1',
        payment_intent: 'pi_1',
        amount: 1_000,
        currency: 'usd',
        status: 'needs_response',
        reason: 'fraudulent',
        evidence_details: { due_by: 1_900_000_000 },
        balance_transactions: [],
      },
    },
  },
  {
    id: 'evt_4',
    object: 'event',
    type: 'account.updated',
    livemode: true,
    created: 1_800_000_000,
    data: { object: { id: 'acct_1', object: 'account', payouts_enabled: true } },
  },
  {
    id: 'evt_5',
    object: 'event',
    type: 'balance.available',
    livemode: false,
    created: 1_800_000_000,
    data: { object: {} },
  },
];

export function askNotice(drawing: RequestContext): Request {
  const { random, fixture, number, contract } = drawing;
  const mode = random.often(0.7) ? 'test' : 'live';
  const intent = random.pick(fixture.intents).clientSecret.split('_secret_')[0] ?? 'pi_1';
  const sample = JSON.parse(
    JSON.stringify(random.pick(NOTICES))
      .replaceAll('pi_1', intent)
      .replace(/evt_(\d)/, `evt_$1_${number}`),
  ) as { [name: string]: Json };
  const value = { ...sample, livemode: random.often(0.9) ? mode === 'live' : mode !== 'live' };
  const text = random.often(0.5) ? brokenText(random, contract, value, {}) : JSON.stringify(value);
  const raw = random.often(0.1) ? damagedBytes(random, text, 1_048_576).body : Buffer.from(text);
  const t = Math.floor(Date.now() / 1000) + random.pick([0, 0, 0, 0, 299, -301, 100_000]);
  const hash = createHmac('sha256', fixture.processorEventSecrets[mode]).update(`${t}.`).update(raw).digest('hex');
  const header = random.weighed([
    [12, `t=${t},v1=${hash}`],
    [1, `t=${t},v1=${hash.replace(/^./, 'g')}`],
    [
      1,
      random.pick([
        '',
        'x',
        't=,v1=',
        `t=${t}`,
        `v1=${hash}`,
        `t=1e3,v1=${hash}`,
        `t=${t},v1=${hash},v1=${'0'.repeat(64)}`,
        'v1=0,'.repeat(2000),
      ]),
    ],
  ]);
  const path = `/processor/notices/${random.often(0.95) ? mode : random.pick(['x', '', '%00', 'TEST'])}`;
  const draft: Draft = {
    label: NOTICE,
    method: 'POST',
    path,
    query: '',
    headers: { 'x-forwarded-for': addressOf(number), 'content-type': 'application/json', 'stripe-signature': header },
    body: raw,
  };
  if (random.often(0.05)) addOddHeader(drawing, draft);
  return finished(drawing, draft);
}
