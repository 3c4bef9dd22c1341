// The test inbox of a venue: a webhook endpoint that is built in, so that a newcomer sees deliveries without a server. In
// test mode only. It has a secret, deliveries and retries as any other endpoint; deleting the endpoint deletes it.

import type { TestInbox } from '../../../../schemas/types.gen.ts';
import type { Db, Queryable } from '../../../base/db.ts';
import { notFound } from '../../../base/errors.ts';
import type { Input, OperationResult } from '../../../base/operation.ts';
import { EVENT_LIST } from '../../events/event-types.ts';
import type { Caller } from '../../keys/caller.ts';
import { lockVenue } from '../../venues/queries.ts';
import { addEndpoint } from '../endpoints.ts';
import { type EndpointRow, listEndpoints } from '../queries.ts';
import { listInboxMessages, MAX_MESSAGES } from './queries.ts';
import { inboxUrl } from './receive.ts';

const EVENTS = EVENT_LIST.filter(({ isSubscribable }) => isSubscribable).map(({ type }) => type);

/** 201: it was created. 200: the venue has one already. */
export async function createTestInbox({ db }: { readonly db: Db }, caller: Caller): Promise<OperationResult> {
  const { found, isNew } = await db.transaction(async (tx) => {
    // Locks the venue's row, so that two calls at once create one inbox.
    await lockVenue(tx, caller.venue.id);
    const present = await findInbox(tx, caller.venue.id);
    if (present !== null) return { found: present, isNew: false };
    const id = caller.ids.prefixed('whe');
    const { row } = await addEndpoint(tx, caller, { id, url: inboxUrl(id), events: EVENTS });
    return { found: row, isNew: true };
  });
  return { status: isNew ? 201 : 200, body: await inboxView(db, caller, found, MAX_MESSAGES) };
}

export async function getTestInbox(db: Queryable, caller: Caller, { query }: Input): Promise<OperationResult> {
  const found = await findInbox(db, caller.venue.id);
  if (found === null) throw notFound();
  const limit = typeof query.limit === 'number' ? query.limit : MAX_MESSAGES;
  return { status: 200, body: await inboxView(db, caller, found, limit) };
}

/** Null: the venue has no test inbox. */
export async function findInbox(db: Queryable, venueId: string): Promise<EndpointRow | null> {
  const endpoints = await listEndpoints(db, venueId, 'test');
  return endpoints.find(({ id, url }) => url === inboxUrl(id)) ?? null;
}

async function inboxView(db: Queryable, { venue, now }: Caller, row: EndpointRow, limit: number): Promise<TestInbox> {
  const messages = await listInboxMessages(db, venue.id, row.id, limit, now);
  return {
    object: 'test_inbox',
    endpoint_id: row.id,
    url: row.url,
    created_at: row.created_at,
    messages: messages.map(({ eventId, type, signature, body, receivedAt }) => ({
      event_id: eventId,
      type,
      received_at: receivedAt,
      signature,
      body,
    })),
  };
}
