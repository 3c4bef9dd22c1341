// The checked conversation: a story uses every method of the adapter, with every test card, and records what the adapter
// sends and what the embedded processor answers, objects, errors and events. All of it is type-checked against the types
// of the `stripe` package. So neither the adapter nor the embedded processor can drift from the API version that the
// package is made for.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { packageRoot } from '../../src/base/package-root.ts';
import { type Conversation, recordConversation } from '../support/conversation.ts';
import {
  checkSdkTypes,
  type TypedCall,
  type TypedValue,
  type TypeProblem,
  WithLastResponse,
} from '../support/sdk-types.ts';

let conversation: Conversation;
beforeAll(async () => {
  conversation = await recordConversation();
});

/** The compiler reads all types of the package, which takes many seconds on a busy machine. */
const CHECK_TIMEOUT_MS = 180_000;

/** No value of an enum is so long and has digits or capitals. */
const ID = /_(?=[a-z]*[A-Z0-9])[A-Za-z0-9]{14,}/;

/** Values of one shape are checked once: ids, numbers and times differ, and say nothing about a type. */
function distinct<T extends TypedValue | TypedCall>(items: readonly T[]): T[] {
  const shapes = new Map<string, T>();
  for (const item of items) {
    const shape = JSON.stringify(item, (_, value: unknown) => {
      if (typeof value === 'number' || typeof value === 'bigint') return 0;
      return typeof value === 'string' && ID.test(value) ? '' : value;
    });
    if (!shapes.has(shape)) shapes.set(shape, item);
  }
  return [...shapes.values()];
}

function requests(): TypedCall[] {
  return conversation.calls.map(({ method, args }) => ({ label: `request ${method}`, call: method, args }));
}

function objects(): TypedValue[] {
  return conversation.calls.flatMap(({ method, outcome }) => {
    if (outcome === null || !('object' in outcome)) return [];
    const path = method
      .split('.')
      .map((name) => `['${name}']`)
      .join('');
    const value = new WithLastResponse(outcome.object);
    return [{ label: `object of ${method}`, type: `Awaited<ReturnType<Stripe${path}>>`, value }];
  });
}

function errors(): TypedValue[] {
  return conversation.calls.flatMap(({ method, outcome }) => {
    if (outcome === null || !('error' in outcome)) return [];
    const { raw, code } = outcome.error as { readonly raw?: unknown; readonly code?: string };
    const label = `error of ${method} (${code ?? 'without a code'})`;
    const codes = code === undefined ? [] : [{ label: `${label}, its code`, type: 'ErrorCode', value: code }];
    return [{ label, type: 'RawError', value: raw }, ...codes];
  });
}

function events(): TypedValue[] {
  return conversation.events.map((value) => {
    const type = JSON.stringify(value.type);
    const isThin = value.object === 'v2.core.event';
    const family = isThin ? 'Stripe.V2.Core.EventNotification' : 'Stripe.Event';
    const found = `Extract<${family}, { type: ${type} }>`;
    return {
      label: `event ${type}`,
      type: isThin ? `Omit<${found}, 'fetchEvent' | 'fetchRelatedObject'>` : found,
      value,
    };
  });
}

describe('the recorded conversation', { tags: ['slow'] }, () => {
  let problems: readonly TypeProblem[];
  beforeAll(() => {
    problems = checkSdkTypes(distinct([...requests(), ...objects(), ...errors(), ...events()]));
  }, CHECK_TIMEOUT_MS);

  /** Each problem once, however many objects have it. */
  const listed = (kind: string): string[] => [
    ...new Set(
      problems
        .filter(({ label }) => label.startsWith(kind))
        .map(({ label, path, reason }) => `${label}: ${path}: ${reason}`),
    ),
  ];

  it('has requests that the SDK’s types allow', () => {
    expect(conversation.calls.length).toBeGreaterThan(100);
    expect(listed('request')).toEqual([]);
    expect(listed('the types')).toEqual([]);
  });

  it('has objects as the SDK’s types describe them', () => {
    expect(listed('object')).toEqual([]);
  });

  it('has errors as the SDK’s types describe them, with codes that exist', () => {
    expect(errors().length).toBeGreaterThan(10);
    expect(listed('error')).toEqual([]);
  });

  it('has events as the SDK’s types describe them', () => {
    expect(conversation.events.length).toBeGreaterThan(50);
    expect(listed('event')).toEqual([]);
  });
});

describe('the story', () => {
  it('uses every method of the adapter, and each sends something', () => {
    const { adapterMethods, requestsOfMethod } = conversation;
    expect(adapterMethods.length).toBeGreaterThan(15);
    expect(adapterMethods.filter((name) => (requestsOfMethod.get(name) ?? 0) === 0)).toEqual([]);
  });

  it('makes every call of the SDK that the source has', () => {
    const made = new Set(conversation.calls.map(({ method }) => method));
    const inSource = sdkCallsIn(join(packageRoot, 'src'));
    expect(inSource.length).toBeGreaterThan(10);
    expect(inSource.filter((method) => !made.has(method))).toEqual([]);
  });

  it('causes every event that the embedded processor can record', () => {
    const sent = new Set(conversation.events.map(({ type }) => type));
    const known = sources(join(packageRoot, 'sandbox', 'processor')).flatMap((text) =>
      [...text.matchAll(/record(?:Connect|Thin)?Event\(\s*'([^']+)'/g)].map(([, type = '']) => type),
    );
    expect(known.length).toBeGreaterThan(10);
    expect([...new Set(known)].filter((type) => !sent.has(type))).toEqual([]);
  });
});

function sources(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => readFileSync(join(folder, name), 'utf8'));
}

function sdkCallsIn(folder: string): string[] {
  const calls = sources(folder)
    .filter((text) => text.includes("from 'stripe'"))
    .flatMap((text) => [...text.matchAll(/\bstripe((?:\s*\.\s*\w+){2,})\s*\(/g)])
    .map(([, path = '']) => path.replaceAll(/\s/g, '').slice(1));
  return [...new Set(calls)];
}

describe('the type check', { tags: ['slow'] }, () => {
  const refund = {
    id: 're_1',
    object: 'refund',
    amount: 100,
    balance_transaction: null,
    charge: null,
    created: 1,
    currency: 'usd',
    customer: null,
    customer_account: null,
    metadata: {},
    payment_intent: null,
    payment_method: null,
    reason: null,
    receipt_number: null,
    source_transfer_reversal: null,
    status: 'succeeded',
    transfer_reversal: null,
  };
  const { status, ...withoutStatus } = refund;
  const refunds = {
    right: refund,
    'wrong type': { ...refund, amount: '100' },
    'wrong inside': { ...refund, destination_details: { type: 'card', card: { type: 1 } } },
    missing: withoutStatus,
    'wrong value': { ...refund, reason: 'regret' },
    unknown: { ...refund, colour: 'red' },
  };
  const calls = {
    'right call': ['refunds.create', { payment_intent: 'pi_1', amount: 100 }, { idempotencyKey: 'key' }],
    'unknown parameter': ['refunds.create', { payment_intent: 'pi_1', sum: 100 }],
    'wrong parameter': ['paymentIntents.capture', 'pi_1', { amount_to_capture: '100' }],
    'unknown method': ['refunds.make', {}],
  } as const;
  const eventOf = (type: string, object: object) => ({
    type: `Extract<Stripe.Event, { type: '${type}' }>`,
    value: {
      id: 'evt_1',
      object: 'event',
      api_version: null,
      created: 1,
      data: { object },
      livemode: false,
      pending_webhooks: 0,
      request: null,
      type,
    },
  });
  const planted = [
    ...Object.entries(refunds).map(([label, value]) => ({ label, type: 'Stripe.Refund', value })),
    ...Object.entries(calls).map(([label, [call, ...args]]) => ({ label, call, args })),
    { label: 'right event', ...eventOf('refund.created', refund) },
    { label: 'unknown event', ...eventOf('refund.vanished', refund) },
    { label: 'wrong object in an event', ...eventOf('refund.created', { ...refund, reason: 'regret' }) },
  ];
  let found: readonly TypeProblem[];
  beforeAll(() => {
    found = checkSdkTypes(planted);
  }, CHECK_TIMEOUT_MS);
  const problemsOf = (label: string) =>
    found.filter((problem) => problem.label === label).map(({ path, reason }) => ({ path, reason }));
  const containing = (text: string): string => expect.stringContaining(text) as string;

  it('accepts an object, a call and an event that the types describe', () => {
    for (const label of ['right', 'right call', 'right event']) expect(problemsOf(label)).toEqual([]);
  });

  it('names the path and the reason of a wrong type, inside an object too', () => {
    const reason = "Type 'string' is not assignable to type 'number'.";
    expect(problemsOf('wrong type')).toEqual([{ path: 'amount', reason }]);
    expect(problemsOf('wrong inside')).toMatchObject([{ path: 'destination_details.card.type' }]);
  });

  it('notices a field that is missing', () => {
    expect(problemsOf('missing')).toEqual([{ path: '', reason: containing("Property 'status' is missing") }]);
  });

  it('notices a value that the enum does not have', () => {
    expect(problemsOf('wrong value')).toEqual([{ path: 'reason', reason: containing('"regret"') }]);
  });

  it('notices a field that does not exist', () => {
    expect(problemsOf('unknown')).toEqual([{ path: 'colour', reason: containing("'colour' does not exist") }]);
  });

  it('notices a parameter that does not exist, a wrong one, and a method that does not exist', () => {
    expect(problemsOf('unknown parameter')).toEqual([
      { path: 'argument 1.sum', reason: containing("'sum' does not exist") },
    ]);
    expect(problemsOf('wrong parameter')).toMatchObject([
      { reason: containing("Type 'string' is not assignable to type 'number'") },
    ]);
    expect(problemsOf('unknown method')).toMatchObject([{ reason: containing("'make' does not exist") }]);
  });

  it('notices an event that does not exist, and a wrong object in one', () => {
    expect(problemsOf('unknown event')).toMatchObject([{ reason: containing("type 'never'") }]);
    expect(problemsOf('wrong object in an event')).toMatchObject([{ path: 'data.object.reason' }]);
  });
});
