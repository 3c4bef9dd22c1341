// Receives a delivery of a venue system: verifies the signature (401), requires a JSON object (400), stores it once,
// responds. It does not interpret the delivery; the worker does. A provider may disable a hook that returns errors, so
// every well-formed delivery is accepted, and one that cannot be used is stored with the reason. At an address that
// several venues share, the account in the body says whose delivery it is; one of no venue is counted, not stored.

import { createHash } from 'node:crypto';
import type { Mapping } from '../../../schemas/types.gen.ts';
import type { Clock } from '../../base/clock.ts';
import type { Mode } from '../../base/config.ts';
import type { Db } from '../../base/db.ts';
import { Problem } from '../../base/errors.ts';
import type { Ids } from '../../base/ids.ts';
import { type ExtractResult, makePathExtractor } from '../../base/json/extract-paths.ts';
import type { OperationResult, RawRequest } from '../../base/operation.ts';
import type { Seal } from '../../base/seal.ts';
import { knownVenueIds } from '../venues/queries.ts';
import { storable, storeInbound } from './deliveries/queries.ts';
import { repeatPing } from './deliveries/reading-queries.ts';
import { secretRow } from './integration.ts';
import { type ExtractedEvent, eventPaths, extractEvent } from './mapping/event.ts';
import { type Mappings, mappingOf } from './mapping/read-mappings.ts';
import { countUnrouted, findAccountRoutes, storeAccountRoute } from './shared-hook-queries.ts';
import { verifiers } from './signatures.ts';

/** The integration that sends a delivery, found by the token in the hook URL. */
export interface IntegrationCaller {
  readonly integrationId: string;
  readonly venueId: string;
  readonly mode: Mode;
  readonly provider: string;
  /** The hook URL as it was issued, including its token. */
  readonly url: string;
  readonly secret: Buffer | null;
}

/** A provider that sends the deliveries of several venues to one address. */
export interface SharedHookCaller {
  readonly sharedHookId: string;
  readonly mode: Mode;
  readonly provider: string;
}

export type HookCaller = IntegrationCaller | SharedHookCaller;

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

/** The limit of a venue over all its systems: about ten thousand deliveries of 200 KB. */
const MAX_BYTES_PER_DAY = 2 * 1024 ** 3;

/** The row that a sealed body is bound to. */
export const bodyRow = (venueId: string, deliveryId: string): string => `inbound_delivery ${venueId} ${deliveryId}`;

export async function receiveHook(
  services: ReceiveServices,
  caller: HookCaller,
  { raw, headers }: RawRequest,
): Promise<OperationResult> {
  const { provider } = caller;
  const now = services.clock.now();
  if ('integrationId' in caller) requireSignature(services, caller, { raw, headers }, now);
  const mapping = mappingOf(services.mappings, provider);
  const extracted = extractorFor(mapping)(raw);
  if (!extracted.ok) throw new Problem('invalid_json', { message: extracted.message });
  const body = extracted.value;
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new Problem('invalid_json', { message: 'The body must be a JSON object.' });
  const event = extractEvent(mapping, body);
  const route = 'integrationId' in caller ? caller : await routeOf(services, caller, event);
  if (route === null) return { status: 200, body: { received: true, id: null, duplicate: false } };
  const { venueId, integrationId } = route;
  const deliveryId = services.ids.prefixed('hkd');
  const stored = await storeInbound(services.db, {
    venueId,
    integrationId,
    deliveryId,
    now,
    dedupHash: dedupHashOf(event, raw),
    dedupWindowSeconds: event.dedupWindowSeconds,
    eventId: storableStart(event.id),
    type: storableStart(event.type ?? event.entry?.name ?? null),
    body: services.seal.seal(raw, bodyRow(venueId, deliveryId)),
    maxBytesPerDay: MAX_BYTES_PER_DAY,
  });
  if (stored === null) throw new Problem('unauthorized', { message: UNKNOWN_HOOK });
  if (stored.retry_after !== null) throw dailyLimitReached(stored.retry_after);
  // Two changes of an object send the same ping, and the second may come after the read of the first.
  if (stored.is_duplicate && event.isPing) await repeatPing(services.db, venueId, stored.delivery_id, now);
  return { status: 200, body: { received: true, id: stored.delivery_id, duplicate: stored.is_duplicate } };
}

function requireSignature(
  { seal }: ReceiveServices,
  { provider, venueId, integrationId, secret: sealed, url }: IntegrationCaller,
  { raw, headers }: RawRequest,
  now: number,
): void {
  const verify = verifiers[provider];
  if (verify === undefined) return;
  if (sealed === null) throw new Error(`integration ${integrationId} has no secret to verify with`);
  const secret = seal.open(sealed, secretRow(venueId, integrationId));
  if (!verify({ raw, headers, secret, url, now })) throw new Problem('unauthorized', { message: NOT_SIGNED });
}

/**
 * The integration of the account, or of its alias, which is learned from a delivery that has both. Null: the body names
 * none, or it is routed to no active venue; the delivery is counted.
 */
async function routeOf(
  { db, clock }: ReceiveServices,
  { sharedHookId, provider, mode }: SharedHookCaller,
  event: ExtractedEvent,
): Promise<{ readonly venueId: string; readonly integrationId: string } | null> {
  const [account, alias] = [storableStart(event.account), storableStart(event.accountAlias)];
  const routes = await findAccountRoutes(db, provider, mode, [account ?? '', alias ?? '']);
  const byAlias = routes.find((route) => route.account === alias);
  const route = routes.find((candidate) => candidate.account === account) ?? (account === null ? byAlias : undefined);
  if (route === undefined || (await knownVenueIds(db, [route.venue_id])).length === 0) {
    await countUnrouted(db, sharedHookId, clock.now());
    return null;
  }
  if (alias !== null && byAlias === undefined)
    await storeAccountRoute(db, { ...route, provider, mode, account: alias, now: clock.now() });
  return { venueId: route.venue_id, integrationId: route.integration_id };
}

function dailyLimitReached(seconds: number): Problem {
  return new Problem('rate_limited', {
    message: `The venue’s systems have sent 2 GB today, which is the daily limit. Try again in ${seconds} seconds.`,
    headers: { 'retry-after': String(seconds) },
  });
}

const extractors = new WeakMap<Mapping, (bytes: Buffer) => ExtractResult>();

/**
 * Checks that the whole body is JSON but extracts only the fields that identify the event; the worker reads the rest.
 */
function extractorFor(mapping: Mapping): (bytes: Buffer) => ExtractResult {
  const extractor = extractors.get(mapping) ?? makePathExtractor(eventPaths(mapping));
  extractors.set(mapping, extractor);
  return extractor;
}

/** The prefixes keep ids and bodies apart: an id never equals a body. */
function dedupHashOf({ id }: ExtractedEvent, raw: Buffer): Buffer {
  const hash = createHash('sha256');
  return id === null ? hash.update('body\0').update(raw).digest() : hash.update('id\0').update(id).digest();
}

const MAX_STORED_TEXT_LENGTH = 200;

/** Cuts the text at a whole character. */
function storableStart(text: string | null): string | null {
  const whole = storable(text);
  return whole === null ? null : [...whole].slice(0, MAX_STORED_TEXT_LENGTH).join('');
}
