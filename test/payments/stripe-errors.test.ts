// How the adapter converts the processor's failures. A small server returns scripted responses that the embedded
// sandbox never gives; the rest is in stripe.test.ts.

import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, createServer as createSocketServer } from 'node:net';
import { inspect } from 'node:util';
import { Worker } from 'node:worker_threads';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Mode } from '../../src/base/config.ts';
import { type Processor, ProcessorRefusal, ProcessorUnavailable } from '../../src/domain/payments/processor.ts';
import { makeStripeProcessor, type StripeAddress } from '../../src/domain/payments/stripe.ts';

type Reply = (response: ServerResponse, request: IncomingMessage) => void;

const SECRET_KEY = 'sk_test_verysecretverysecret';
const CLIENT_SECRET = 'pi_1_secret_ofTheGuest';
/** The short time-out is only for calls that must time out, so that a busy machine fails no other. */
const SHORT_TIMEOUT_MS = 300;

const replies: Reply[] = [];
const seen: { method: string; url: string; key: string | undefined; version: string | undefined }[] = [];
const server = createServer((request, response) => {
  const { method = '', url = '', headers } = request;
  seen.push({ method, url, key: header(headers['idempotency-key']), version: header(headers['stripe-version']) });
  request.resume();
  request.on('end', () => {
    const reply = replies.shift();
    if (reply === undefined) response.destroy();
    else reply(response, request);
  });
});
let address: StripeAddress;
let processor: Processor;

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  address = { protocol: 'http', host: '127.0.0.1', port: (server.address() as AddressInfo).port };
  processor = processorAt(address);
});
afterEach(() => {
  expect(replies).toEqual([]);
  seen.length = 0;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

function processorAt(where: StripeAddress, timeoutMs = 15_000): Processor {
  return makeStripeProcessor({
    mode: 'test',
    secretKey: SECRET_KEY,
    publishableKey: 'pk_test_x',
    address: where,
    timeoutMs,
  });
}

const header = (value: string | string[] | undefined): string | undefined => (Array.isArray(value) ? value[0] : value);

function reply(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Reply {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', 'request-id': 'req_1', ...headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };
}

const refuses = (status: number, error: object, headers?: Readonly<Record<string, string>>): Reply =>
  reply(status, { error: { message: 'No.', ...error } }, headers);

const intent = (overrides: object = {}) => ({
  id: 'pi_1',
  object: 'payment_intent',
  status: 'requires_capture',
  livemode: false,
  amount: 1000,
  amount_capturable: 1000,
  amount_received: 0,
  currency: 'usd',
  metadata: {},
  client_secret: CLIENT_SECRET,
  customer: null,
  payment_method: null,
  last_payment_error: null,
  latest_charge: null,
  ...overrides,
});

const charge = (overrides: object = {}) => ({
  id: 'ch_1',
  created: 1_800_000_000,
  amount: 1000,
  amount_captured: 1000,
  amount_refunded: 0,
  payment_method_details: { card: { capture_before: 1_800_600_000 } },
  ...overrides,
});

/**
 * A thread that listens and then sleeps with a full queue: connecting hangs, as behind a firewall that drops packets.
 */
async function listenButNeverAccept(): Promise<{ readonly port: number; stop(): Promise<unknown> }> {
  const thread = new Worker(
    `const { parentPort } = require('node:worker_threads');
     const server = require('node:net').createServer();
     server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
       parentPort.postMessage(server.address().port);
       Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10_000);
     });`,
    { eval: true },
  );
  const [port] = (await once(thread, 'message')) as [number];
  const queue = [1, 2, 3, 4].map(() => connect(port, '127.0.0.1').on('error', () => {}));
  await new Promise((resolve) => setTimeout(resolve, 200));
  return {
    port,
    stop: () => {
      for (const socket of queue) socket.destroy();
      return thread.terminate();
    },
  };
}

async function failureOf(work: Promise<unknown>): Promise<Error> {
  const error: unknown = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof Error)) throw new Error('the call was expected to fail');
  return error;
}

async function refusalOf(work: Promise<unknown>): Promise<string> {
  const error = await failureOf(work);
  expect(error).toBeInstanceOf(ProcessorRefusal);
  return (error as ProcessorRefusal).code;
}

async function unavailableOf(work: Promise<unknown>): Promise<string> {
  const error = await failureOf(work);
  expect(error).toBeInstanceOf(ProcessorUnavailable);
  return error.message;
}

const capture = () => processor.capture('pi_1', 1000, 'key-1');

describe('ProcessorUnavailable, the outcome is unknown:', () => {
  it.each([
    [500, { type: 'api_error' }],
    [502, { type: 'api_error' }],
    [503, { type: 'api_error' }],
    [424, { type: 'api_error' }],
    [429, { type: 'invalid_request_error', code: 'rate_limit' }],
    [400, { type: 'invalid_request_error', code: 'rate_limit' }],
    [429, { type: 'invalid_request_error', code: 'lock_timeout' }],
    [409, { type: 'invalid_request_error', code: 'lock_timeout' }],
    [409, { type: 'idempotency_error', code: 'idempotency_key_in_use' }],
    [402, { type: 'card_error', code: 'processing_error' }],
    [402, { type: 'card_error', code: 'card_declined', decline_code: 'processing_error' }],
  ])('a response of %i %o', async (status, error) => {
    replies.push(refuses(status, error));
    expect(await unavailableOf(capture())).toMatch(new RegExp(`^capture: the card processor .*\\(${status},.*req_1`));
    expect(seen).toHaveLength(1);
  });

  it('a refused API key is named in the message and refuses no payment', async () => {
    for (const status of [401, 403]) {
      replies.push(refuses(status, { type: 'invalid_request_error', message: `Invalid API Key: ${SECRET_KEY}` }));
      const message = await unavailableOf(capture());
      expect(message).toContain('refuses our secret key');
      expect(message).not.toContain(SECRET_KEY);
    }
  });

  it('a response that is not JSON, or only half of it', async () => {
    replies.push(reply(502, '<html>Bad gateway</html>'), reply(200, '<html>Welcome to the hotel</html>'));
    await unavailableOf(capture());
    await unavailableOf(capture());
    replies.push((response) => {
      response.writeHead(200, { 'content-length': '1000' });
      response.write('{"id":"pi_1"');
      setTimeout(() => response.destroy(), 50);
    });
    await unavailableOf(capture());
  });

  it('no response within the time-out', async () => {
    const capture = () => processorAt(address, SHORT_TIMEOUT_MS).capture('pi_1', 1000, 'key-1');
    replies.push(() => {});
    expect(await unavailableOf(capture())).toBe('capture: no answer from the card processor (ETIMEDOUT)');
    replies.push((response) => {
      response.writeHead(200, { 'content-length': '1000' });
      response.write('{"id":"pi_1"');
    });
    expect(await unavailableOf(capture())).toBe('capture: no answer from the card processor (ETIMEDOUT)');
  });

  it('a host that never accepts the connection within the time-out', async () => {
    const listener = await listenButNeverAccept();
    const before = performance.now();
    const message = await unavailableOf(
      processorAt({ protocol: 'http', host: '127.0.0.1', port: listener.port }, SHORT_TIMEOUT_MS).retrieveHold('pi_1'),
    );
    expect(message).toBe('retrieveHold: no answer from the card processor (ETIMEDOUT)');
    expect(performance.now() - before).toBeLessThan(15_000);
    await listener.stop();
  });

  it('a refused connection', async () => {
    const closed = createSocketServer();
    await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve));
    const { port } = closed.address() as AddressInfo;
    await new Promise<void>((resolve) => closed.close(() => resolve()));
    const message = await unavailableOf(
      processorAt({ protocol: 'http', host: '127.0.0.1', port }).retrieveHold('pi_1'),
    );
    expect(message).toBe('retrieveHold: no answer from the card processor (ECONNREFUSED)');
  });

  it('a connection that is cut twice: the SDK retries once with the same key', async () => {
    replies.push(
      (response) => response.destroy(),
      (response) => response.destroy(),
    );
    expect(await unavailableOf(capture())).toBe('capture: no answer from the card processor (ECONNRESET)');
    expect(seen.map(({ key }) => key)).toEqual(['key-1', 'key-1']);
  });

  it('an unknown status is not guessed', async () => {
    replies.push(reply(200, intent({ status: 'requires_divination' })));
    expect(await unavailableOf(processor.retrieveHold('pi_1'))).toContain('requires_divination');
  });

  it('a failure that is replayed for the key is named in the message', async () => {
    replies.push(refuses(500, { type: 'api_error' }, { 'idempotent-replayed': 'true' }));
    expect(await unavailableOf(capture())).toContain('replayed for this key');
  });
});

describe('ProcessorRefusal, the answer is final:', () => {
  it.each([
    [402, { type: 'card_error', code: 'card_declined', decline_code: 'insufficient_funds' }, 'insufficient_funds'],
    [402, { type: 'card_error', code: 'expired_card' }, 'expired_card'],
    [402, { type: 'card_error', code: 'authentication_required' }, 'authentication_required'],
  ])('a response of %i %o is %s', async (status, error, code) => {
    replies.push(refuses(status, error));
    expect(await refusalOf(capture())).toBe(code);
  });

  it.each([
    [404, { type: 'invalid_request_error', code: 'resource_missing' }, 'resource_missing'],
    [400, { type: 'invalid_request_error', code: 'amount_too_large' }, 'amount_too_large'],
    [400, { type: 'invalid_request_error' }, 'invalid_request_error'],
  ])('a response of %i %o to a refund is %s', async (status, error, code) => {
    replies.push(refuses(status, error));
    expect(
      await refusalOf(processor.refund('pi_1', { amount: 1, key: 'key-9', movementId: 'mov_1', venueId: 'ven_1' })),
    ).toBe(code);
  });

  it('a reused key is no refusal, because its first request may have succeeded', async () => {
    replies.push(refuses(400, { type: 'idempotency_error' }));
    await unavailableOf(processor.refund('pi_1', { amount: 1, key: 'key-9', movementId: 'mov_1', venueId: 'ven_1' }));
  });

  it('a refused capture counts only if the issuer declined it or the intent shows it', async () => {
    replies.push(refuses(400, { type: 'invalid_request_error', code: 'parameter_unknown' }), reply(200, intent()));
    await unavailableOf(capture());
    replies.push(refuses(404, { type: 'invalid_request_error', code: 'resource_missing' }), refuses(404, {}));
    await unavailableOf(capture());
  });

  it('an error shows no secret at any depth', async () => {
    const message = `No such intent for ${CLIENT_SECRET} with ${SECRET_KEY}`;
    replies.push(
      refuses(402, { type: 'card_error', code: 'card_declined', message, payment_intent: intent() }),
      refuses(500, { type: 'api_error', message, payment_intent: intent() }),
    );
    for (const error of [await failureOf(capture()), await failureOf(capture())]) {
      const shown = inspect(error, { depth: 20, showHidden: true });
      expect(shown).not.toContain('secret_ofTheGuest');
      expect(shown).not.toContain('verysecret');
      expect(shown).toContain('req_1');
    }
  });

  it('an error that is not the SDK’s is thrown unchanged', async () => {
    const own = makeStripeProcessor({
      mode: 'test',
      secretKey: SECRET_KEY,
      publishableKey: 'pk_test_x',
      address,
      httpClient: { getClientName: () => 'broken', makeRequest: async () => ({}) as never },
    });
    // The SDK reports every failure of its HTTP client as a connection error.
    expect(await failureOf(own.retrieveHold('pi_1'))).toBeInstanceOf(ProcessorUnavailable);
    replies.push(reply(200, { data: null, has_more: false }));
    expect(await failureOf(processor.holdsSince(0, null))).toBeInstanceOf(TypeError);
  });
});

describe('when the intent is in another state', () => {
  const unexpected = refuses(400, { type: 'invalid_request_error', code: 'payment_intent_unexpected_state' });
  const captured = intent({ status: 'succeeded', amount_received: 1000, latest_charge: charge() });

  it('a capture succeeds if the amount is captured already', async () => {
    replies.push(unexpected, reply(200, captured));
    expect(await capture()).toMatchObject({ status: 'captured', captured: 1000, chargeId: 'ch_1' });
  });

  it('a capture is refused if another amount is captured, or the intent is canceled', async () => {
    replies.push(unexpected, reply(200, { ...captured, amount_received: 999 }));
    expect(await refusalOf(capture())).toBe('payment_intent_unexpected_state');
    replies.push(unexpected, reply(200, intent({ status: 'canceled' })));
    expect(await refusalOf(capture())).toBe('payment_intent_unexpected_state');
  });

  it('a failed retrieve leaves the outcome unknown', async () => {
    replies.push(unexpected, refuses(500, {}));
    await unavailableOf(capture());
    replies.push(unexpected, refuses(500, {}));
    await unavailableOf(processor.release('pi_1', 'key-2'));
  });

  it('a release succeeds if it is canceled already, is refused if it is captured, and is unknown otherwise', async () => {
    const release = () => processor.release('pi_1', 'key-2');
    replies.push(unexpected, reply(200, intent({ status: 'canceled' })));
    expect(await release()).toMatchObject({ status: 'voided', heldAt: null });
    replies.push(unexpected, reply(200, captured));
    expect(await refusalOf(release())).toBe('already_captured');
    replies.push(unexpected, reply(200, intent({ status: 'processing' })));
    await unavailableOf(release());
  });

  it.each([
    [{ status: 'failed', failure_reason: 'lost_or_stolen_card' }, 'failed', 'lost_or_stolen_card'],
    [{ status: 'canceled' }, 'failed', 'refund_canceled'],
    [{ status: 'pending', pending_reason: 'insufficient_funds' }, 'pending', 'insufficient_funds'],
    [{ status: 'requires_action' }, 'pending', null],
    [{ status: 'succeeded' }, 'done', null],
  ])('a refund %o is %s', async (fields, status, reason) => {
    replies.push(reply(200, { id: 're_1', ...fields }), reply(200, { id: 're_1', ...fields }));
    const facts = { refundId: 're_1', status, reason };
    expect(await processor.refund('pi_1', { amount: 1, key: 'key-3', movementId: 'mov_1', venueId: 'v' })).toEqual(
      facts,
    );
    expect(await processor.retrieveRefund('re_1')).toEqual(facts);
  });

  it('a refund with an unknown status, or that is not found, leaves its end unknown', async () => {
    replies.push(reply(200, { id: 're_1', status: 'revoked' }));
    await unavailableOf(processor.retrieveRefund('re_1'));
    replies.push(refuses(404, { type: 'invalid_request_error', code: 'resource_missing' }));
    await unavailableOf(processor.retrieveRefund('re_1'));
  });
});

describe('the facts of an intent', () => {
  const retrieve = async (overrides: object) => {
    replies.push(reply(200, intent(overrides)));
    return processor.retrieveHold('pi_1');
  };

  it.each([
    ['requires_payment_method', 'waiting'],
    ['requires_confirmation', 'waiting'],
    ['requires_action', 'processing'],
    ['processing', 'processing'],
    ['requires_capture', 'held'],
    ['succeeded', 'captured'],
    ['canceled', 'voided'],
  ])('map %s to %s', async (stripeStatus, status) => {
    expect(await retrieve({ status: stripeStatus })).toMatchObject({ status });
  });

  it('include the times of authorization and lapse', async () => {
    expect(
      await retrieve({ latest_charge: charge(), customer: { id: 'cus_1' }, payment_method: 'pm_1' }),
    ).toMatchObject({
      heldAt: 1_800_000_000_000,
      captureBefore: 1_800_600_000_000,
      chargeId: 'ch_1',
      customerId: 'cus_1',
      paymentMethodId: 'pm_1',
      declineCode: null,
    });
    expect(await retrieve({ latest_charge: charge({ payment_method_details: null }) })).toMatchObject({
      captureBefore: null,
    });
  });

  it('do not show a declined charge as one that holds money', async () => {
    const declined = {
      status: 'requires_payment_method',
      latest_charge: charge({ amount_captured: 0 }),
      last_payment_error: { code: 'card_declined', decline_code: 'lost_card' },
    };
    expect(await retrieve(declined)).toMatchObject({ heldAt: null, chargeId: null, declineCode: 'lost_card' });
    const unproven = { ...declined, last_payment_error: { code: 'payment_intent_authentication_failure' } };
    expect(await retrieve(unproven)).toMatchObject({ declineCode: 'payment_intent_authentication_failure' });
  });

  it('include the processor’s mode', async () => {
    expect(await retrieve({ livemode: true })).toMatchObject({ mode: 'live' });
  });

  it.each([
    ['nothing yet', null, { captured: 0, refunded: 0 }],
    ['held', { amount_captured: 0 }, { captured: 0, refunded: 0 }],
    ['released', { amount_captured: 0, amount_refunded: 1000 }, { captured: 0, refunded: 0 }],
    ['captured', {}, { captured: 1000, refunded: 0 }],
    ['part refunded', { amount_refunded: 300 }, { captured: 1000, refunded: 300 }],
    ['captured in part', { amount_captured: 800, amount_refunded: 200 }, { captured: 800, refunded: 0 }],
    ['that, part refunded', { amount_captured: 800, amount_refunded: 700 }, { captured: 800, refunded: 500 }],
  ])('do not count the released part as refunded: %s', async (_, overrides, totals) => {
    replies.push(reply(200, intent({ latest_charge: overrides === null ? null : charge(overrides) })));
    expect(await processor.chargeTotals('pi_1')).toEqual(totals);
  });
});

describe('the adapter', () => {
  it('sends the API version with every call', async () => {
    replies.push(reply(200, intent()));
    await processor.retrieveHold('pi_1');
    expect(seen[0]?.version).toMatch(/^\d{4}-\d\d-\d\d\./);
  });

  it('rejects keys of the other mode and a publishable key as the secret key', () => {
    const make = (mode: Mode, secretKey: string, publishableKey: string) => () =>
      makeStripeProcessor({ mode, secretKey, publishableKey });
    expect(make('test', 'sk_live_x', 'pk_test_x')).toThrow('test mode are live keys');
    expect(make('live', 'sk_live_x', 'pk_test_x')).toThrow('live mode are test keys');
    expect(make('test', 'pk_test_x', 'pk_test_x')).toThrow('secret key is a publishable one');
    expect(make('live', 'rk_live_x', 'pk_live_x')).not.toThrow();
  });

  it('never pays with a test card at the real processor in live mode', async () => {
    const live = makeStripeProcessor({ mode: 'live', secretKey: 'sk_live_x', publishableKey: 'pk_live_x' });
    await expect(live.payWithTestCard('pi_1', 'pm_card_visa', 'key-1')).rejects.toThrow(
      'a test card cannot pay in live mode',
    );
  });
});
