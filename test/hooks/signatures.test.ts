// The verifiers, against Square's published vectors and vectors computed with other tools for Toast and Mindbody.

import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { SIGNATURE_HEADERS, type Signed, verifiers } from '../../src/domain/hooks/signatures.ts';

const NOW = Date.parse('2027-01-15T18:04:05Z');

function verified(
  provider: keyof typeof SIGNATURE_HEADERS,
  signature: string | null,
  signed: Partial<Signed>,
): boolean {
  const headers = signature === null ? {} : { [SIGNATURE_HEADERS[provider]]: signature };
  const whole = { raw: Buffer.alloc(0), secret: 'x', url: '', now: NOW, headers, ...signed };
  return verifiers[provider]?.(whole) === true;
}

const SQUARE_BODY =
  '{"merchant_id":"MLEFBHHSJGVHD","type":"webhooks.test_notification","event_id":"ac3ac95b-f97d-458c-a6e6-18981597e05f","created_at":"2022-07-13T20:30:59.037339943Z","data":{"type":"webhooks","id":"bc368e64-01aa-407e-b46e-3231809b1129"}}';
const SQUARE = [
  {
    secret: 'Ibxx_5AKakO-3qeNVR61Dw',
    url: 'https://webhook.site/679a4f3a-dcfa-49ee-bac5-9d0edad886b9',
    raw: Buffer.from(SQUARE_BODY),
    signature: 'GF4YkrJgGBDZ9NIYbNXBnMzqb2HoL4RW/S6vkZ9/2N4=',
  },
  {
    secret: 'signature-key',
    url: 'https://webhook.site/webhooks',
    raw: Buffer.from('{"data":{"type":"webhooks","id":"fake_id"}}'),
    signature: 'W3FlCNk5IA3ZQ2LHTWoajvzfaDu/OwY2tNHIHC3IUOA=',
  },
  {
    secret: 'signature-key',
    url: 'https://webhook.site/webhooks',
    raw: Buffer.from('{"data":{"type":"webhooks","id":">id<"}}'),
    signature: 'Cxt7+aTi4rKgcA0bC4g9EHdVtLSDWdqccmL5MvihU4U=',
  },
];

const TOAST_BODY =
  '{"timestamp":"2026-01-15T18:04:05.123Z","eventCategory":"stock","eventType":"low_quantity","guid":"e445f586-081c-4a2a-bcd6-30717a48e17a","details":{"itemGuid":"1e199622-ccbf-4ba8-8c37-111519dca13b","restaurantGuid":"3325cc58-dc6e-4e21-85f9-7de275ffe820","status":"QUANTITY","quantity":5.0,"multiLocationId":"100000000171241912","versionId":"1e199622-ccbf-4ba8-8c37-111519dca13b"}}';
const TOAST = 'Pp4RQxgabgmRj+DeLOY2OMJDx05NRKKtnPwql5Pmo6E=';
const MINDBODY_BODY =
  '{"messageId":"ASwFMoA2Q5UKw69g3RDbvU","eventId":"classSchedule.cancelled","eventSchemaVersion":1,"eventInstanceOriginationDateTime":"2026-01-15T18:04:05Z","eventData":{"siteId":-99,"classScheduleId":2}}';
const MINDBODY = 'sha256=f84c455NAWFcGyi6E16UIP7rNIp7KJz+kLfspj0t+AE=';

describe('square', () => {
  it('passes its three published vectors', () => {
    for (const { signature, ...signed } of SQUARE) expect(verified('square', signature, signed)).toBe(true);
  });

  it('refuses another URL, another key, an altered or pretty-printed body, and a missing header', () => {
    for (const { signature, ...signed } of SQUARE) {
      const pretty = Buffer.from(JSON.stringify(JSON.parse(signed.raw.toString()), null, 2));
      expect(verified('square', signature, { ...signed, url: signed.url.slice(0, -1) })).toBe(false);
      expect(verified('square', signature, { ...signed, secret: `${signed.secret}x` })).toBe(false);
      expect(verified('square', signature, { ...signed, raw: pretty })).toBe(false);
      expect(verified('square', signature, { ...signed, raw: Buffer.concat([signed.raw, Buffer.from(' ')]) })).toBe(
        false,
      );
      expect(verified('square', `${signature} `, signed)).toBe(false);
      expect(verified('square', '', signed)).toBe(false);
      expect(verified('square', null, signed)).toBe(false);
    }
  });
});

describe('toast', () => {
  const signed = { raw: Buffer.from(TOAST_BODY), secret: 'toast-test-secret' };

  it('passes the vector that Python, OpenSSL and Java agree on', () => {
    expect(signed.raw.length).toBe(380);
    expect(verified('toast', TOAST, signed)).toBe(true);
  });

  it('refuses a signature of the body alone, another secret, a pretty-printed body, no timestamp, and invalid JSON', () => {
    const alone = createHmac('sha256', signed.secret).update(signed.raw).digest('base64');
    expect(verified('toast', alone, signed)).toBe(false);
    expect(verified('toast', TOAST, { ...signed, secret: 'other' })).toBe(false);
    const pretty = Buffer.from(JSON.stringify(JSON.parse(TOAST_BODY), null, 2));
    expect(verified('toast', TOAST, { ...signed, raw: pretty })).toBe(false);
    expect(verified('toast', null, signed)).toBe(false);
    for (const text of ['{"guid":"x"}', '{"timestamp":5}', 'null', 'not json', '']) {
      const raw = Buffer.from(text);
      const made = createHmac('sha256', signed.secret).update(raw).digest('base64');
      expect(verified('toast', made, { ...signed, raw })).toBe(false);
    }
  });
});

describe('mindbody', () => {
  const signed = { raw: Buffer.from(MINDBODY_BODY), secret: 'mindbody-test-signature-key' };

  it('passes the vector that Python and OpenSSL agree on', () => {
    expect(signed.raw.length).toBe(202);
    expect(verified('mindbody', MINDBODY, signed)).toBe(true);
  });

  it('refuses it without its prefix, with another key, and over other bytes', () => {
    expect(verified('mindbody', MINDBODY.slice('sha256='.length), signed)).toBe(false);
    expect(verified('mindbody', MINDBODY, { ...signed, secret: 'mindbody-test-signature-kex' })).toBe(false);
    const pretty = Buffer.from(JSON.stringify(JSON.parse(MINDBODY_BODY), null, 2));
    expect(verified('mindbody', MINDBODY, { ...signed, raw: pretty })).toBe(false);
    expect(verified('mindbody', null, signed)).toBe(false);
  });
});

describe('custom', () => {
  const secret = 'whsec_4f9b1c7e2a6d8053b7e1f0c92d6a4e8b';
  const raw = Buffer.from('{"id":"dlv-1","type":"offering.cancel","data":{"external_id":"tee-18"}}');
  const at = (seconds: number, key = secret): string => {
    const t = Math.floor(NOW / 1000) + seconds;
    return `t=${t},v1=${createHmac('sha256', key).update(`${t}.`).update(raw).digest('hex')}`;
  };

  it('passes with a time up to five minutes before or after now, and with one of two signatures', () => {
    for (const seconds of [0, -300, 300]) expect(verified('custom', at(seconds), { raw, secret })).toBe(true);
    const [, v1 = ''] = at(0).split(',');
    expect(verified('custom', `${at(0, 'old')},${v1}`, { raw, secret })).toBe(true);
  });

  it('refuses a time further off, a changed time, another secret, and an empty header', () => {
    for (const seconds of [-301, 301]) expect(verified('custom', at(seconds), { raw, secret })).toBe(false);
    const moved = at(0).replace(/^t=\d+/, `t=${Math.floor(NOW / 1000) + 1}`);
    for (const header of [moved, at(0, 'other'), 't=1', 'v1=', ',', '', null, at(0).replace('v1', 'v0')])
      expect(verified('custom', header, { raw, secret })).toBe(false);
  });
});
