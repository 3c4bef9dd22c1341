// The addresses to which a venue wants its events sent: register, list, remove. The signing secret is shown once and
// kept sealed, bound to its row.

import type { Queryable } from '../../base/db.ts';
import { invalid, notFound } from '../../base/errors.ts';
import type { Answer, Input } from '../../base/operation.ts';
import { randomText } from '../../base/random.ts';
import type { Caller } from '../keys/caller.ts';
import { audit } from '../venues/audit.ts';
import { lockVenue } from '../venues/queries.ts';
import { countEndpoints, deleteEndpoint, type EndpointRow, insertEndpoint, listEndpoints } from './queries.ts';

const MOST_ENDPOINTS = 50;

export interface EndpointWish {
  readonly url: string;
  readonly events: readonly string[];
}

export async function createEndpoint(tx: Queryable, caller: Caller, input: Input<EndpointWish>): Promise<Answer> {
  const { venue, mode } = caller;
  // The venue's row is locked, so that two calls at once cannot both be the fiftieth.
  await lockVenue(tx, venue.id);
  if ((await countEndpoints(tx, venue.id, mode)) >= MOST_ENDPOINTS) throw invalid([tooMany()]);
  const id = caller.ids.prefixed('whe');
  const secret = `whsec_${randomText(caller.random, 32)}`;
  const { url, events } = input.body;
  const sealed = caller.seal.seal(secret, `webhook_endpoint ${venue.id} ${id}`);
  const row = await insertEndpoint(tx, { venueId: venue.id, id, mode, url, events, secret: sealed, now: caller.now });
  await audit(tx, caller, {
    venueId: venue.id,
    action: 'webhook_endpoint.create',
    subject: id,
    detail: { url, events, mode },
  });
  const { last_delivery, ...shown } = shownEndpoint(row);
  return { status: 201, body: { ...shown, secret } };
}

function tooMany() {
  return {
    code: 'too_many_items',
    field: '/url',
    message: `This venue has ${MOST_ENDPOINTS} endpoints already: delete one that is no longer used.`,
    expected: `at most ${MOST_ENDPOINTS} endpoints for a venue and mode`,
    example_fix: null,
  } as const;
}

export async function listAllEndpoints(db: Queryable, caller: Caller): Promise<Answer> {
  const rows = await listEndpoints(db, caller.venue.id, caller.mode);
  return { status: 200, body: { data: rows.map(shownEndpoint) } };
}

export async function removeEndpoint(tx: Queryable, caller: Caller, input: Input): Promise<Answer> {
  const id = input.params.id ?? '';
  if (!(await deleteEndpoint(tx, caller.venue.id, caller.mode, id))) throw notFound();
  await audit(tx, caller, { venueId: caller.venue.id, action: 'webhook_endpoint.delete', subject: id });
  return { status: 200, body: { id, object: 'webhook_endpoint', deleted: true } };
}

function shownEndpoint(row: EndpointRow) {
  return {
    id: row.id,
    object: 'webhook_endpoint',
    url: row.url,
    events: row.events,
    mode: row.mode,
    status: 'active',
    created_at: row.created_at,
    last_delivery: null,
  };
}
