// The receiving side of the test inbox. Its address is of a host that never resolves, so a delivery for it is handed over in
// the process that sends it: no request to ourselves, and the guarded client allows nothing more than before. The inbox
// verifies the signature as a partner's server does, and keeps what it received.

import type { Clock } from '../../../base/clock.ts';
import type { Db } from '../../../base/db.ts';
import type { Ids } from '../../../base/ids.ts';
import type { Seal } from '../../../base/seal.ts';
import { type Attempt, type AttemptServices, attempt } from '../deliveries/attempt.ts';
import { isSignedBy, openSecrets, SIGNATURE_HEADER, signatureHeaders } from '../deliveries/signature.ts';
import { findSecrets } from '../queries.ts';
import { insertInboxMessage } from './queries.ts';

/** A host of the reserved domain `.invalid` (RFC 2606). */
const INBOX_HOST = 'https://test-inbox.invalid/';

/** The address of the inbox that is this endpoint; no other endpoint can have it. */
export const inboxUrl = (endpointId: string): string => `${INBOX_HOST}${endpointId}`;

export interface Receiver {
  readonly venueId: string;
  readonly endpointId: string;
  readonly url: string;
}

export interface InboxServices extends AttemptServices {
  readonly db: Db;
  readonly ids: Ids;
  readonly seal: Seal;
}

/** One attempt: to the inbox of the venue in this process, or to the endpoint's address through the guarded client. */
export function attemptAt(
  services: InboxServices,
  receiver: Receiver,
  secrets: readonly string[],
  body: string,
): Promise<Attempt> {
  if (receiver.url === inboxUrl(receiver.endpointId)) return attemptInbox(services, receiver, secrets, body);
  return attempt(services, receiver.url, secrets, body);
}

async function attemptInbox(
  services: InboxServices,
  receiver: Receiver,
  secrets: readonly string[],
  body: string,
): Promise<Attempt> {
  const at = services.clock.now();
  const startedAt = performance.now();
  const bytes = Buffer.from(body);
  const status = await receive(services, receiver, signatureHeaders(secrets, bytes, at), bytes);
  const delivered = status === 200;
  return {
    delivered,
    answered: true,
    status,
    error: delivered ? null : 'http_status',
    response: delivered ? 'The test inbox keeps it for 24 hours.' : 'The signature does not match.',
    durationMs: Math.round(performance.now() - startedAt),
    retryAfter: null,
    at,
  };
}

/** What a partner's server does: verify, keep, answer. */
async function receive(
  { db, ids, seal, clock }: { readonly db: Db; readonly ids: Ids; readonly seal: Seal; readonly clock: Clock },
  { venueId, endpointId }: Receiver,
  headers: Readonly<Record<string, string>>,
  body: Buffer,
): Promise<200 | 401> {
  const now = clock.now();
  const sealed = await findSecrets(db, venueId, endpointId, now);
  const signature = headers[SIGNATURE_HEADER] ?? '';
  const secrets = sealed === null ? [] : openSecrets(seal, { venueId, endpointId, ...sealed });
  if (!isSignedBy(secrets, body, signature, now)) return 401;
  const text = body.toString('utf8');
  const { id: eventId, type } = JSON.parse(text) as { readonly id: string; readonly type: string };
  await insertInboxMessage(db, { venueId, endpointId, id: ids.uuid(), eventId, type, signature, body: text, now });
  return 200;
}
