// Changes an existing endpoint: rotates its secret, disables or enables it, and sends a sample event to it.

import type { Clock } from '../../base/clock.ts';
import type { Db, Queryable } from '../../base/db.ts';
import { conflict, notFound } from '../../base/errors.ts';
import type { Input, OperationResult } from '../../base/operation.ts';
import type { Outbound } from '../../base/outbound/outbound.ts';
import type { Caller } from '../keys/caller.ts';
import { audit } from '../venues/audit.ts';
import { makeQueueDue, newestDeliveries, resetQueue } from './deliveries/queries.ts';
import { recordSample } from './deliveries/sample-queries.ts';
import { newSecret, openSecrets, secretRow } from './deliveries/signature.ts';
import { endpointView } from './endpoint.ts';
import { attemptAt } from './inbox/receive.ts';
import {
  type DisabledReason,
  type EndpointRow,
  findEndpoint,
  findSecrets,
  lockEarlierSecrets,
  MAX_EARLIER_SECRETS,
  replaceSecret,
  setEndpointStatus,
} from './queries.ts';
import { sampleEvent } from './sample-event.ts';

const DAY_MS = 24 * 3_600_000;

async function requireEndpoint(db: Queryable, caller: Caller, input: Input): Promise<EndpointRow> {
  const row = await findEndpoint(db, caller.venue.id, caller.mode, input.params.id ?? '');
  if (row === null) throw notFound();
  return row;
}

/**
 * The old secret keeps signing beside the new one for 24 hours, so that the receiver can change it without losing an
 * event. Further rotations keep earlier secrets valid too, because a caller that lost the response rotates again.
 */
export async function rotateSecret(tx: Queryable, caller: Caller, input: Input): Promise<OperationResult> {
  const { venue, mode, seal, now } = caller;
  const { id } = await requireEndpoint(tx, caller, input);
  const { count, firstExpiresAt } = await lockEarlierSecrets(tx, venue.id, id, now);
  if (count >= MAX_EARLIER_SECRETS) {
    throw conflict(
      'secrets_still_valid',
      `Four earlier secrets still sign beside the newest. Rotate again after ${firstExpiresAt}, or create another endpoint and delete this one.`,
    );
  }
  const secret = newSecret(caller);
  const sealed = seal.seal(secret, secretRow(venue.id, id));
  const row = await replaceSecret(tx, { venueId: venue.id, mode, id }, sealed, now, now + DAY_MS);
  if (row === null) throw notFound();
  await audit(tx, caller, { venueId: venue.id, action: 'webhook_endpoint.rotate_secret', subject: id });
  const { url, events, earlier_until } = row;
  return { status: 200, body: { id, url, events, secret, previous_secret_expires_at: earlier_until } };
}

export async function disableEndpoint(tx: Queryable, caller: Caller, input: Input): Promise<OperationResult> {
  return setStatus(tx, caller, input, 'requested');
}

export async function enableEndpoint(tx: Queryable, caller: Caller, input: Input): Promise<OperationResult> {
  return setStatus(tx, caller, input, null);
}

/** Idempotent: a retry changes nothing. */
async function setStatus(
  tx: Queryable,
  caller: Caller,
  input: Input,
  reason: DisabledReason | null,
): Promise<OperationResult> {
  const { venue, now } = caller;
  const before = await requireEndpoint(tx, caller, input);
  // Locks the queue before the endpoint, in the same order as the worker, and makes it due: the worker ends the
  // deliveries that wait for a disabled endpoint.
  await makeQueueDue(tx, venue.id, before.id, now);
  const after = await setEndpointStatus(tx, venue.id, before.id, reason, now);
  if (after !== null) {
    const action = reason === null ? 'webhook_endpoint.enable' : 'webhook_endpoint.disable';
    if (reason === null) await resetQueue(tx, venue.id, before.id);
    await audit(tx, caller, {
      venueId: venue.id,
      action,
      subject: before.id,
      ...(reason ? { detail: { reason } } : {}),
    });
  }
  const [last] = await newestDeliveries(tx, venue.id, [before.id]);
  return { status: 200, body: endpointView(after ?? before, last) };
}

export interface SampleServices {
  readonly db: Db;
  readonly clock: Clock;
  readonly outbound: Outbound;
}

/** Sends a sample once, now. It is in the log of the endpoint, and not among the events: it is none. */
export async function testEndpoint(services: SampleServices, caller: Caller, input: Input): Promise<OperationResult> {
  const endpoint = await requireEndpoint(services.db, caller, input);
  const now = services.clock.now();
  const sealed = await findSecrets(services.db, caller.venue.id, endpoint.id, now);
  if (sealed === null) throw notFound();
  const sample = sampleEvent(caller, now);
  const secrets = openSecrets(caller.seal, { venueId: caller.venue.id, endpointId: endpoint.id, ...sealed });
  // A venue's samples share a connection pool of their own, so that they never delay deliveries.
  const poolName = `samples of ${caller.venue.id}`;
  const sending = { ...services, poolName, ids: caller.ids, seal: caller.seal };
  const receiver = { venueId: caller.venue.id, endpointId: endpoint.id, url: endpoint.url };
  const result = await attemptAt(sending, receiver, secrets, JSON.stringify(sample));
  await services.db.transaction(async (tx) => {
    const { id: eventId, type } = sample;
    await recordSample(tx, { venueId: caller.venue.id, endpointId: endpoint.id, eventId, type, attempt: result });
    await audit(tx, caller, {
      venueId: caller.venue.id,
      action: 'webhook_endpoint.test',
      subject: endpoint.id,
      detail: { delivered: result.delivered, status: result.status },
    });
  });
  const { delivered, status, response, error, durationMs } = result;
  return { status: 200, body: { event_id: sample.id, delivered, status, response, error, duration_ms: durationMs } };
}
