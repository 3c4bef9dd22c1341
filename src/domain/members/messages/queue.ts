// Queues text messages in the transaction of their cause. The text is sealed, because it carries codes and invite
// links. There is one message for each kind and subject, so that no recipient gets a copy.

import type { Clock } from '../../../base/clock.ts';
import type { Queryable } from '../../../base/db.ts';
import type { Ids } from '../../../base/ids.ts';
import type { Seal } from '../../../base/seal.ts';
import { insertMessage, type MessageKind } from './queries.ts';

export interface MessageRequest {
  readonly memberId: string | null;
  readonly phone: Buffer;
  readonly phoneHash: Buffer;
  readonly kind: MessageKind;
  readonly subject: string;
  readonly text: string;
  readonly dueAt: number;
  /** From then on the message is useless; absent: never. */
  readonly sendBefore?: number | undefined;
}

export async function queueMessage(
  tx: Queryable,
  services: { readonly ids: Ids; readonly seal: Seal; readonly clock: Clock },
  request: MessageRequest,
): Promise<void> {
  const id = services.ids.uuid();
  const text = services.seal.seal(request.text, `message ${id}`);
  const { sendBefore = null } = request;
  await insertMessage(tx, { ...request, sendBefore, id, text, now: services.clock.now() });
}

/** Queues several messages in the order of their phones, so that two transactions never deadlock. */
export async function queueMessages(
  tx: Queryable,
  services: Parameters<typeof queueMessage>[1],
  requests: readonly MessageRequest[],
): Promise<void> {
  const sorted = [...requests].sort((a, b) => Buffer.compare(a.phoneHash, b.phoneHash));
  for (const request of sorted) await queueMessage(tx, services, request);
}
