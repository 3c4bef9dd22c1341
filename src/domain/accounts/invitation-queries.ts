// The SQL of invitations.

import type { Queryable } from '../../base/db.ts';
import type { Role } from './roles.ts';

export interface InvitationRow {
  readonly id: string;
  readonly venueId: string;
  readonly email: Buffer;
  readonly role: Role;
  readonly invitedBy: string;
  readonly createdAt: string;
  readonly expiresAt: string;
}

const COLUMNS = `invitation_id as "id", venue_id as "venueId", email, role, invited_by as "invitedBy",
  created_at as "createdAt", expires_at as "expiresAt"`;

export interface NewInvitation {
  readonly id: string;
  readonly venueId: string;
  readonly email: Buffer;
  readonly emailHash: Buffer;
  readonly role: Role;
  readonly invitedBy: string;
  readonly expiresAt: number;
  readonly now: number;
}

/** Ends an earlier invitation of this mail address. The caller has locked the venue. */
export async function insertInvitation(tx: Queryable, invitation: NewInvitation): Promise<InvitationRow> {
  const { id, venueId, email, emailHash, role, invitedBy, expiresAt, now } = invitation;
  await tx.query(
    `update venue_invitations set ended_at = to_timestamp($3 / 1000.0)
     where venue_id = $1 and email_hash = $2 and ended_at is null`,
    [venueId, emailHash, now],
  );
  const rows = await tx.query<InvitationRow>(
    `insert into venue_invitations
       (venue_id, invitation_id, email, email_hash, role, invited_by, created_at, expires_at)
     values ($1, $2, $3, $4, $5, $6, to_timestamp($7 / 1000.0), to_timestamp($8 / 1000.0)) returning ${COLUMNS}`,
    [venueId, id, email, emailHash, role, invitedBy, now, expiresAt],
  );
  if (rows[0] === undefined) throw new Error('inserting an invitation returned no row');
  return rows[0];
}

/** The invitations of a venue that can be accepted, newest first. */
export async function listInvitations(db: Queryable, venueId: string, now: number): Promise<InvitationRow[]> {
  return db.query<InvitationRow>(
    `select ${COLUMNS} from venue_invitations
     where venue_id = $1 and ended_at is null and expires_at > to_timestamp($2 / 1000.0)
     order by created_at desc, invitation_id desc`,
    [venueId, now],
  );
}

/** Null: there is none that could be accepted. */
export async function endInvitation(
  tx: Queryable,
  venueId: string,
  id: string,
  now: number,
): Promise<InvitationRow | null> {
  const rows = await tx.query<InvitationRow>(
    `update venue_invitations set ended_at = to_timestamp($3 / 1000.0)
     where venue_id = $1 and invitation_id = $2 and ended_at is null and expires_at > to_timestamp($3 / 1000.0)
     returning ${COLUMNS}`,
    [venueId, id, now],
  );
  return rows[0] ?? null;
}

/** Ends every invitation of a mail address as accepted, and returns them. Each can be accepted once. */
export async function acceptInvitations(
  tx: Queryable,
  emailHash: Buffer,
  accountId: string,
  now: number,
): Promise<InvitationRow[]> {
  return tx.query<InvitationRow>(
    `update venue_invitations set ended_at = to_timestamp($3 / 1000.0), accepted_by = $2
     where email_hash = $1 and ended_at is null and expires_at > to_timestamp($3 / 1000.0) returning ${COLUMNS}`,
    [emailHash, accountId, now],
  );
}

/** Deletes invitations 30 days after their expiry. Returns how many. */
export async function deleteOldInvitations(db: Queryable, now: number, limit: number): Promise<number> {
  const rows = await db.query(
    `delete from venue_invitations where (venue_id, invitation_id) in (
       select venue_id, invitation_id from venue_invitations
       where expires_at < to_timestamp($1 / 1000.0) - interval '30 days' limit $2) returning 1`,
    [now, limit],
  );
  return rows.length;
}
