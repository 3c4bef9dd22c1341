// Draws deliveries of venue systems and notices of the card processor: valid ones, broken ones with a valid signature
// over their bytes, and valid ones with a broken signature.

import { createHmac } from 'node:crypto';
import { drawBrokenText, drawDamagedBody } from './broken-body.ts';
import { samplesOf, signatureHeaders } from './connections.ts';
import type { Json } from './mutations.ts';
import {
  addOddHeader,
  clientAddress,
  type Draft,
  finishDraft,
  HOSTILE_SEGMENTS,
  type RequestContext,
  setOddMethod,
  setOddPath,
} from './request-draft.ts';
import type { Request } from './send.ts';

export const HOOK = 'receiveHook';
export const NOTICE = 'POST /processor/notices/:mode';
export const labelOfHook = (provider: string): string => `hook:${provider}`;

export function drawHookRequest(context: RequestContext): Request {
  const { random, fixture, number, contract, limitOf } = context;
  const hook = random.pick(fixture.hooks);
  const samples = samplesOf(random.often(0.95) ? hook.provider : random.pick(fixture.hooks).provider);
  const value = withNewId(context, random.pick(samples));
  const draft: Draft = {
    label: labelOfHook(hook.provider),
    method: 'POST',
    path: hook.path,
    query: '',
    headers: { 'x-forwarded-for': clientAddress(number), 'content-type': 'application/json' },
    body: Buffer.from(JSON.stringify(value)),
  };
  const way = random.below(10);
  if (way <= 4) draft.body = Buffer.from(drawBrokenText(random, contract, value, {}));
  if (way === 5) {
    const sent = drawDamagedBody(random, JSON.stringify(value), hook.provider === 'toast' ? 1_048_576 : limitOf(HOOK));
    draft.body = sent.body;
    Object.assign(draft.headers, sent.headers ?? {});
    if (sent.isTooLarge === true) draft.mustBeRefused = true;
  }
  // The service uses the system clock, and a signature is valid for five minutes around it.
  Object.assign(draft.headers, signatureHeaders(hook, draft.body ?? Buffer.alloc(0), Date.now()));
  if (random.often(0.12)) damageRequest(context, draft);
  return finishDraft(context, draft);
}

/** Gives the body a new event id, if it has one, so that it is not a duplicate. */
function withNewId({ random, number }: RequestContext, value: Json): Json {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || random.often(0.2)) return value;
  const id = ['event_id', 'eventId', 'guid', 'messageId', 'id'].find((name) => typeof value[name] === 'string');
  return id === undefined ? value : { ...value, [id]: `fz-${number}` };
}

const BAD_SIGNATURES = ['', 'x', 't=1,v1=00', '\xff', 'x'.repeat(5000), 't=,v1='];

function damageRequest(context: RequestContext, draft: Draft): void {
  const { random } = context;
  const signature = Object.keys(draft.headers).find((name) => name.includes('signature'));
  const ways: (() => void)[] = [
    () => void (signature !== undefined && delete draft.headers[signature]),
    () => Object.assign(draft.headers, { [signature ?? 'x-signature']: random.pick(BAD_SIGNATURES) }),
    () => Object.assign(draft, { path: draft.path.replace(/[^/]+$/, random.pick(HOSTILE_SEGMENTS)) }),
    () =>
      Object.assign(draft, {
        path: draft.path.replace(/hooks\/[^/]+/, `hooks/${random.pick(['square', 'custom', 'x', '__proto__', '%00'])}`),
      }),
    () => addOddHeader(context, draft),
    () => setOddMethod(context, draft),
    () => setOddPath(context, draft),
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

export function drawNoticeRequest(context: RequestContext): Request {
  const { random, fixture, number, contract } = context;
  const mode = random.often(0.7) ? 'test' : 'live';
  const intent = random.pick(fixture.intents).clientSecret.split('_secret_')[0] ?? 'pi_1';
  const sample = JSON.parse(
    JSON.stringify(random.pick(NOTICES))
      .replaceAll('pi_1', intent)
      .replace(/evt_(\d)/, `evt_$1_${number}`),
  ) as { [name: string]: Json };
  const value = { ...sample, livemode: random.often(0.9) ? mode === 'live' : mode !== 'live' };
  const text = random.often(0.5) ? drawBrokenText(random, contract, value, {}) : JSON.stringify(value);
  const raw = random.often(0.1) ? drawDamagedBody(random, text, 1_048_576).body : Buffer.from(text);
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
    headers: {
      'x-forwarded-for': clientAddress(number),
      'content-type': 'application/json',
      'stripe-signature': header,
    },
    body: raw,
  };
  if (random.often(0.05)) addOddHeader(context, draft);
  return finishDraft(context, draft);
}
