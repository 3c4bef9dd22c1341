// Creates the invites of new shares: an unguessable token for each. The database has its hash, by which an opened link is
// found, and the sealed token, which only the organizer sees again.

import type { Queryable } from '../../../base/db.ts';
import { randomText } from '../../../base/random.ts';
import { sha256 } from '../../../base/sha256.ts';
import type { GuestServices } from './guest-services.ts';
import { insertInvites } from './invite-queries.ts';

const TOKEN_LENGTH = 24;

/** Returns the tokens by share. */
export async function createInvites(
  tx: Queryable,
  { random, seal }: Pick<GuestServices, 'random' | 'seal'>,
  venueId: string,
  shareIds: readonly string[],
  now: number,
): Promise<ReadonlyMap<string, string>> {
  const tokens = new Map(shareIds.map((shareId) => [shareId, randomText(random, TOKEN_LENGTH)]));
  const invites = [...tokens].map(([shareId, token]) => ({
    shareId,
    tokenHash: hashOfToken(token),
    token: seal.seal(token, `invite ${shareId}`),
  }));
  await insertInvites(tx, venueId, invites, now);
  return tokens;
}

export function hashOfToken(token: string): Buffer {
  return sha256(token);
}
