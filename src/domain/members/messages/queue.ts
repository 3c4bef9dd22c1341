// Puts a text message in the queue, in the transaction of what it tells of. Its words are sealed: they carry codes and
// invites. One of each kind for a subject, so that nothing is told twice.

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
}

export async function queueMessage(
  tx: Queryable,
  services: { readonly ids: Ids; readonly seal: Seal; readonly clock: Clock },
  wish: MessageRequest,
): Promise<void> {
  const id = services.ids.uuid();
  const words = services.seal.seal(wish.text, `message ${id}`);
  await insertMessage(tx, { ...wish, id, text: words, now: services.clock.now() });
}

/** Several, in the order of their phones: two transactions that write to the same people never wait for each other. */
export async function queueMessages(
  tx: Queryable,
  services: Parameters<typeof queueMessage>[1],
  wishes: readonly MessageRequest[],
): Promise<void> {
  const sorted = [...wishes].sort((a, b) => Buffer.compare(a.phoneHash, b.phoneHash));
  for (const wish of sorted) await queueMessage(tx, services, wish);
}
