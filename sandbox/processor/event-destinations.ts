// Event destinations of API v2: webhook endpoints that get thin events, each with a signing secret of its own. The URL
// and the secret are redacted unless the caller includes them, and the secret is shown when the destination is created
// alone. An event destination gets events of the platform (`@self`) or of the accounts that it manages (`@accounts`).

import { invalidRequest } from './api-error.ts';
import { endpointSecret } from './endpoint-secret.ts';
import type { Params } from './form-params.ts';
import type { RenderContext, StripeObject } from './payment-objects.ts';
import type { EndpointRow } from './row-types.ts';
import type { Transaction } from './transaction.ts';
import { addEndpoint, requireEndpointUrl } from './webhook-endpoints.ts';

type DestinationRow = EndpointRow & { readonly destination: NonNullable<EndpointRow['destination']> };

const SECRET = 'webhook_endpoint.signing_secret';
const URL_FIELD = 'webhook_endpoint.url';
const MAX_PAGE = 100;

export function createEventDestination(tx: Transaction, params: Params): StripeObject {
  if (params.oneOf('type', ['webhook_endpoint']) === null) params.requireText('type');
  // This processor has no snapshots to send: those of API v1 go to webhook endpoints.
  if (params.oneOf('event_payload', ['thin']) === null) params.requireText('event_payload');
  const include = readIncludes(params, [SECRET, URL_FIELD]);
  const row = addEndpoint(tx, {
    id: tx.newId('ed'),
    created: tx.now,
    url: requireEndpointUrl(requireTarget(params)),
    events: requireEvents(params),
    metadata: params.metadata(),
    description: params.text('description'),
    kind: 'destination',
    destination: { name: params.requireText('name'), eventsFrom: eventsFrom(params), updated: tx.now },
  });
  const secret = include.includes(SECRET) ? endpointSecret(tx.webhookSecret, row.id) : null;
  return toEventDestination(tx, row as DestinationRow, include, secret);
}

function requireTarget(params: Params): Params {
  const target = params.group('webhook_endpoint');
  if (target === null) throw invalidRequest('Missing required field: webhook_endpoint.', 'webhook_endpoint');
  target.rejectUnknown(new Set(['url']));
  return target;
}

function requireEvents(params: Params): readonly string[] {
  const events = params.list('enabled_events');
  if (events.length === 0) throw invalidRequest('Missing required field: enabled_events.', 'enabled_events');
  const snapshot = events.find((type) => type !== '*' && !/^v[12]\./.test(type));
  if (snapshot === undefined) return events;
  throw invalidRequest(`${snapshot} is no thin event.`, 'enabled_events');
}

/** `@self` where the caller names none is a guess. */
function eventsFrom(params: Params): readonly string[] {
  const from = params.list('events_from');
  const unknown = from.find((scope) => scope !== '@self' && scope !== '@accounts');
  if (unknown !== undefined) throw invalidRequest(`Invalid events_from: ${unknown}`, 'events_from');
  return from.length === 0 ? ['@self'] : from;
}

function readIncludes(params: Params, known: readonly string[]): readonly string[] {
  const include = params.list('include');
  const unknown = include.find((name) => !known.includes(name));
  if (unknown !== undefined) throw invalidRequest(`Invalid include: ${unknown}`, 'include');
  return include;
}

export function requireDestination(tx: Transaction, id: string): DestinationRow {
  const row = tx.require('endpoints', id);
  // A webhook endpoint of API v1 is not found here: the look-up of an id that does not exist throws the 404.
  return (row.destination === undefined ? tx.require('endpoints', '') : row) as DestinationRow;
}

export function retrieveEventDestination(tx: Transaction, id: string, params: Params): StripeObject {
  return toEventDestination(tx, requireDestination(tx, id), readIncludes(params, [URL_FIELD]));
}

/** At most 16 exist, so one page has them all. */
export function listEventDestinations(tx: Transaction, params: Params): StripeObject {
  const include = readIncludes(params, [URL_FIELD]);
  const limit = params.positive('limit') ?? MAX_PAGE;
  if (limit > MAX_PAGE) throw invalidRequest(`Invalid limit: at most ${MAX_PAGE}.`, 'limit');
  const rows = [...tx.changes.committed.endpoints.newestFirst()].filter(({ kind }) => kind === 'destination');
  const data = rows.slice(0, limit).map((row) => toEventDestination(tx, row as DestinationRow, include));
  return { data, next_page_url: null, previous_page_url: null };
}

export function updateEventDestination(tx: Transaction, id: string, params: Params): StripeObject {
  const row = requireDestination(tx, id);
  const target = params.has('webhook_endpoint') ? requireTarget(params) : null;
  const changed = put(tx, row, {
    url: target === null ? row.url : requireEndpointUrl(target),
    events: params.has('enabled_events') ? requireEvents(params) : row.events,
    description: params.text('description') ?? row.description,
    metadata: params.metadata(row.metadata),
    destination: { ...row.destination, name: params.text('name') ?? row.destination.name },
  });
  return toEventDestination(tx, changed, readIncludes(params, [URL_FIELD]));
}

/** Enabling what is enabled, or disabling what is disabled, is an error at Stripe. Its text is a guess. */
export function setDestinationStatus(tx: Transaction, id: string, isDisabled: boolean): StripeObject {
  const row = requireDestination(tx, id);
  if ((row.isDisabled === true) === isDisabled) {
    throw invalidRequest(`The event destination is ${isDisabled ? 'disabled' : 'enabled'} already.`, 'id');
  }
  return toEventDestination(tx, put(tx, row, { isDisabled }), []);
}

export function deleteEventDestination(tx: Transaction, id: string): StripeObject {
  requireDestination(tx, id);
  tx.changes.remove('endpoints', id);
  return { id, object: 'v2.core.event_destination' };
}

function put(tx: Transaction, row: DestinationRow, change: Partial<EndpointRow>): DestinationRow {
  const changed = { ...row, ...change };
  const destination = { ...(changed.destination ?? row.destination), updated: tx.now };
  return tx.put('endpoints', { ...changed, destination }) as DestinationRow;
}

const timestamp = (seconds: number): string => new Date(seconds * 1000).toISOString();

function toEventDestination(
  context: RenderContext,
  row: DestinationRow,
  include: readonly string[],
  secret: string | null = null,
): StripeObject {
  return {
    id: row.id,
    object: 'v2.core.event_destination',
    created: timestamp(row.created),
    description: row.description ?? '',
    enabled_events: row.events,
    event_payload: 'thin',
    events_from: row.destination.eventsFrom,
    livemode: context.mode === 'live',
    metadata: row.metadata,
    name: row.destination.name,
    status: row.isDisabled === true ? 'disabled' : 'enabled',
    ...(row.isDisabled === true ? { status_details: { disabled: { reason: 'user' } } } : {}),
    type: 'webhook_endpoint',
    updated: timestamp(row.destination.updated),
    webhook_endpoint: {
      ...(secret === null ? {} : { signing_secret: secret }),
      ...(include.includes(URL_FIELD) ? { url: row.url } : {}),
    },
  };
}
