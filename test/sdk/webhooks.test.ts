// `webhooks.constructEvent` of the SDK: which deliveries it accepts, and why it refuses the others. The signatures come
// from the server's own code.

import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import {
  Everyshare,
  SignatureVerificationError,
  type VerifyOptions,
  type WebhookEvent,
  webhooks,
} from '../../sdk/src/everyshare.ts';
import { signatureHeaders } from '../../src/domain/webhooks/deliveries/signature.ts';

const SECRET = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
const OTHER = `whsec_${Buffer.alloc(32, 2).toString('base64')}`;
const BODY = '{"id":"evt_1","object":"event","type":"checkout.completed","data":{"object":{"description":"Café ☕"}}}';
const AT = 1_812_105_603;
const now: VerifyOptions = { now: AT };

type Headers_ = Record<string, string>;
const signed = (secrets = [SECRET], at = AT): Headers_ => signatureHeaders(secrets, Buffer.from(BODY), at * 1000);
/** The headers of Standard Webhooks alone, and Service-Signature alone. */
const { 'service-signature': service, ...standard } = signed();
const FORMS = [
  ['Service-Signature', (headers: Headers_): Headers_ => ({ 'Service-Signature': headers['service-signature'] ?? '' })],
  ['Standard Webhooks', ({ 'service-signature': _, ...headers }: Headers_): Headers_ => headers],
] as const;

/** Why the delivery is refused. */
async function problemOf(call: Promise<WebhookEvent>): Promise<string> {
  const error = await call.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(SignatureVerificationError);
  const { problem, message, name } = error as SignatureVerificationError;
  expect(name).toBe('SignatureVerificationError');
  return `${problem}: ${message}`;
}

describe.each(FORMS)('a delivery with %s', (_name, only) => {
  it('gives its event, from a text, bytes or a buffer', async () => {
    const bytes = new TextEncoder().encode(BODY);
    // A test runner gives each file a realm of its own, whose Uint8Array is another.
    const [foreign, foreignBuffer] = runInNewContext('const view = Uint8Array.from(numbers); [view, view.buffer]', {
      numbers: [...bytes],
    }) as [Uint8Array, ArrayBuffer];
    expect(foreign).not.toBeInstanceOf(Uint8Array);
    for (const payload of [BODY, bytes, Buffer.from(BODY), bytes.buffer, foreign, foreignBuffer])
      expect(await webhooks.constructEvent(payload, only(signed()), SECRET, now)).toEqual(JSON.parse(BODY));
  });

  it('is refused with another secret, another body, or a signature that is cut', async () => {
    const headers = only(signed());
    expect(await problemOf(webhooks.constructEvent(BODY, headers, OTHER, now))).toMatch(/^no_matching_signature/);
    const changed = BODY.replace('completed', 'Completed');
    expect(await problemOf(webhooks.constructEvent(changed, headers, SECRET, now))).toMatch(/^no_matching_signature/);
    const shortened = Object.fromEntries(Object.entries(headers).map(([name, text]) => [name, text.slice(0, -8)]));
    expect(await problemOf(webhooks.constructEvent(BODY, shortened, SECRET, now))).toMatch(/^malformed_signature/);
  });

  it('is refused more than the tolerance after its time, and before it', async () => {
    const verifyAt = (at: number, tolerance?: number) =>
      webhooks.constructEvent(BODY, only(signed()), SECRET, {
        now: at,
        ...(tolerance === undefined ? {} : { tolerance }),
      });
    for (const edge of [AT - 300, AT, AT + 300]) await verifyAt(edge);
    expect(await problemOf(verifyAt(AT + 301))).toMatch(/^timestamp_too_old: .* signed 301 seconds ago, and 300/);
    expect(await problemOf(verifyAt(AT - 301))).toMatch(/^timestamp_in_future: .* 301 seconds in the future/);
    expect(await problemOf(verifyAt(AT + 11, 10))).toMatch(/^timestamp_too_old/);
  });

  it('is accepted during a rotation, by the old secret, the new one, and a list of both', async () => {
    const headers = only(signed([OTHER, SECRET]));
    for (const secret of [OTHER, SECRET, [OTHER, SECRET], ['whsec_not_yet', SECRET]])
      expect((await webhooks.constructEvent(BODY, headers, secret, now)).id).toBe('evt_1');
    for (const list of [
      [OTHER, SECRET],
      [undefined, SECRET],
      [SECRET, undefined],
      ['', SECRET],
    ])
      expect((await webhooks.constructEvent(BODY, only(signed()), list, now)).id).toBe('evt_1');
  });

  it('is accepted with a secret that was made before secrets were base64', async () => {
    const older = 'whsec_0123456789abcdefghijklmnopqrstuv';
    expect((await webhooks.constructEvent(BODY, only(signed([older])), older, now)).id).toBe('evt_1');
  });

  it('is compared with the time now when no time is given', async () => {
    const current = only(signed([SECRET], Math.floor(Date.now() / 1000)));
    expect((await webhooks.constructEvent(BODY, current, SECRET)).id).toBe('evt_1');
    expect(await problemOf(webhooks.constructEvent(BODY, only(signed()), SECRET))).toMatch(/^timestamp_in_future/);
  });
});

describe('constructEvent', () => {
  it('takes the value of Service-Signature, the headers of Node, and those of fetch', async () => {
    for (const headers of [service ?? '', { ...standard }, new Headers(standard), { 'SERVICE-SIGNATURE': service }])
      expect((await webhooks.constructEvent(BODY, headers, SECRET, now)).id).toBe('evt_1');
  });

  it('names a header that is missing or has another form', async () => {
    expect(await problemOf(webhooks.constructEvent(BODY, {}, SECRET))).toMatch(/^missing_signature: .*webhook-id/);
    const absent = new Headers().get('service-signature');
    for (const headers of [
      absent,
      undefined,
      { 'service-signature': undefined },
      { 'service-signature': null as never },
    ])
      expect(await problemOf(webhooks.constructEvent(BODY, headers, SECRET))).toMatch(/^missing_signature/);
    const { 'webhook-id': _, ...withoutId } = standard;
    expect(await problemOf(webhooks.constructEvent(BODY, withoutId, SECRET))).toMatch(/^missing_signature/);
    for (const header of ['', 't=,v1=', 'v1=00', `t=12x,${service?.split(',')[1]}`, 't=1', 'nonsense'])
      expect(await problemOf(webhooks.constructEvent(BODY, header, SECRET))).toMatch(/^malformed_signature/);
  });

  it('says that it needs the raw body when it gets a parsed one', async () => {
    const parsed = JSON.parse(BODY);
    expect(await problemOf(webhooks.constructEvent(parsed, service ?? '', SECRET))).toMatch(
      /^invalid_payload: The payload is not the raw body.*express\.raw/,
    );
  });

  it('refuses to verify without a secret', async () => {
    for (const secret of ['', [], [undefined, ''], undefined as never, null as never])
      await expect(webhooks.constructEvent(BODY, service ?? '', secret)).rejects.toThrow(/secret is missing/);
  });

  it('is the same with a client and without', () => {
    expect(Everyshare.webhooks).toBe(webhooks);
    expect(new Everyshare({ apiKey: 'svc_test_x' }).webhooks).toBe(webhooks);
  });
});

describe('generateTestHeader', () => {
  it('gives the headers that the server sends', async () => {
    const options = { payload: BODY, secret: SECRET, timestamp: AT };
    expect(await webhooks.generateTestHeader(options)).toBe(service);
    expect(await webhooks.generateTestHeaders(options)).toEqual(signed());
    const current = await webhooks.generateTestHeader({ payload: BODY, secret: SECRET });
    expect((await webhooks.constructEvent(BODY, current, SECRET)).type).toBe('checkout.completed');
  });
});
