// A delivery of a venue system, from its raw bytes to the answer: signature (401), JSON object (400), stored once, answered.
// Whatever it means is the worker's to find out: a provider that gets errors may switch us off, so what is well formed is
// accepted, and what cannot be used is kept with its reason.

import { createHash } from 'node:crypto';
import type { Mapping } from '../../../schemas/types.gen.ts';
import type { Clock } from '../../base/clock.ts';
import type { Mode } from '../../base/config.ts';
import type { Db } from '../../base/db.ts';
import { Problem } from '../../base/errors.ts';
import type { Ids } from '../../base/ids.ts';
import { type ExtractPaths, makeExtractPaths } from '../../base/json/extract-paths.ts';
import type { OperationResult, RawRequest } from '../../base/operation.ts';
import type { Seal } from '../../base/seal.ts';
import { storeInbound } from './deliveries/queries.ts';
import { secretRow } from './integration.ts';
import { type ExtractedEvent, eventPaths, extractEvent } from './mapping/event.ts';
import { type Mappings, mappingOf } from './mapping/read-mappings.ts';
import { verifiers } from './signatures.ts';

/** Who delivers: an integration, by the token in its address. */
export interface IntegrationCaller {
  readonly integrationId: string;
  readonly venueId: string;
  readonly mode: Mode;
  readonly provider: string;
  /** The address that was handed out, its token included. */
  readonly url: string;
  readonly secret: Buffer | null;
}

export interface ReceiveServices {
  readonly db: Db;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly seal: Seal;
  readonly mappings: Mappings;
}

export const UNKNOWN_HOOK =
  'This hook address is not known: connect the venue system again and use the address that it gives.';
const NOT_SIGNED =
  'The signature of this delivery is missing or wrong: it must be made with the secret of this integration.';

/** What a venue may store in a day, from all its systems: some ten thousand deliveries of 200 KB. */
const MAX_BYTES_PER_DAY = 2 * 1024 ** 3;

/** To which row a sealed body belongs. */
export const bodyRow = (venueId: string, deliveryId: string): string => `inbound_delivery ${venueId} ${deliveryId}`;

export async function receiveHook(
  services: ReceiveServices,
  sender: IntegrationCaller,
  { raw, headers }: RawRequest,
): Promise<OperationResult> {
  const { venueId, integrationId, provider } = sender;
  const now = services.clock.now();
  const verify = verifiers[provider];
  if (verify !== undefined) {
    if (sender.secret === null) throw new Error(`integration ${integrationId} has no secret to verify with`);
    const secret = services.seal.open(sender.secret, secretRow(venueId, integrationId));
    if (!verify({ raw, headers, secret, url: sender.url, now }))
      throw new Problem('unauthorized', { message: NOT_SIGNED });
  }
  const mapping = mappingOf(services.mappings, provider);
  const glance = extractorFor(mapping)(raw);
  if (!glance.ok) throw new Problem('invalid_json', { message: glance.message });
  const body = glance.value;
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new Problem('invalid_json', { message: 'The body must be a JSON object.' });
  const seen = extractEvent(mapping, body);
  const deliveryId = services.ids.prefixed('hkd');
  const stored = await storeInbound(services.db, {
    venueId,
    integrationId,
    deliveryId,
    now,
    duplicateKey: duplicateKeyOf(seen, raw),
    duplicateWindowSeconds: seen.duplicateWindowSeconds,
    eventId: storable(seen.id),
    type: storable(seen.type ?? seen.entry?.name ?? null),
    body: services.seal.seal(raw, bodyRow(venueId, deliveryId)),
    maxBytesPerDay: MAX_BYTES_PER_DAY,
  });
  if (stored === null) throw new Problem('unauthorized', { message: UNKNOWN_HOOK });
  if (stored.retry_after !== null) throw dailyLimitReached(stored.retry_after);
  return { status: 200, body: { received: true, id: stored.delivery_id, duplicate: stored.is_duplicate } };
}

function dailyLimitReached(seconds: number): Problem {
  return new Problem('rate_limited', {
    message: `The venue’s systems have sent 2 GB today, which is the most that is kept. Try again in ${seconds} seconds.`,
    headers: { 'retry-after': String(seconds) },
  });
}

const extractors = new WeakMap<Mapping, (bytes: Buffer) => ExtractPaths>();

/** All of a body is judged, and only what says which event it is is read: the rest is the worker's to read. */
function extractorFor(mapping: Mapping): (bytes: Buffer) => ExtractPaths {
  const known = extractors.get(mapping) ?? makeExtractPaths(eventPaths(mapping));
  extractors.set(mapping, known);
  return known;
}

/** An id and a body never count as the same. */
function duplicateKeyOf({ id }: ExtractedEvent, raw: Buffer): Buffer {
  const hash = createHash('sha256');
  return id === null ? hash.update('body\0').update(raw).digest() : hash.update('id\0').update(id).digest();
}

const MAX_STORED_TEXT_LENGTH = 200;

/** What no column can hold is left out; whole characters alone. */
function storable(text: string | null): string | null {
  return text === null
    ? null
    : [...text.replaceAll(/\0|\p{Surrogate}/gu, '\ufffd')].slice(0, MAX_STORED_TEXT_LENGTH).join('');
}
