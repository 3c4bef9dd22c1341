// Invitations to a venue by mail: valid for 7 days and once. The person accepts by signing in with that mail address, which
// proves that it is theirs, or, signed in, by the link in the mail; an address without an account signs up by it.

import type { Invitation, InvitationCreate } from '../../../schemas/types.gen.ts';
import type { CommandContext } from '../../base/command-context.ts';
import type { Queryable } from '../../base/db.ts';
import { conflict, notFound, Problem } from '../../base/errors.ts';
import { isUuid } from '../../base/ids.ts';
import type { Input, OperationResult } from '../../base/operation.ts';
import type { Seal } from '../../base/seal.ts';
import { requireDailyUses } from '../keys/daily-limit.ts';
import { queueMail } from '../mail/mail.ts';
import { audit } from '../venues/audit.ts';
import { type AccountCaller, hashOfEmail, type TeamCaller } from './account.ts';
import { type AccountServices, requireMail } from './challenges.ts';
import {
  acceptInvitations,
  endInvitation,
  type InvitationRow,
  insertInvitation,
  listInvitations,
} from './invitation-queries.ts';
import { invitationMail } from './mails.ts';
import { lockTeam } from './people.ts';
import { insertPerson, listPeople } from './people-queries.ts';
import { sessionBody } from './show-session.ts';

const INVITATION_MS = 7 * 24 * 3_600_000;
const INVITATIONS_PER_DAY = 50;
/** People with a role and open invitations of one venue. */
const MAX_TEAM_SIZE = 200;

export function sealNameOfInvitation(invitationId: string): string {
  return `venue invitation ${invitationId}`;
}

export async function listTeamInvitations(
  { db, seal }: AccountServices,
  { venue, now }: TeamCaller,
): Promise<OperationResult> {
  const invitations = await listInvitations(db, venue.id, now);
  return { status: 200, body: { data: invitations.map((one) => invitationView(seal, one)) } };
}

function invitationView(seal: Seal, { id, email, role, invitedBy, createdAt, expiresAt }: InvitationRow): Invitation {
  return {
    id,
    email: seal.open(email, sealNameOfInvitation(id)),
    role,
    invited_by: invitedBy,
    created_at: createdAt,
    expires_at: expiresAt,
  };
}

/** A second invitation of a mail address replaces the first. */
export async function invitePerson(
  services: AccountServices,
  caller: TeamCaller,
  { body: { email, role } }: Input<InvitationCreate>,
): Promise<OperationResult> {
  requireMail(services);
  const { seal, ids } = services;
  const { venue, account, now } = caller;
  const invitation = await services.db.transaction(async (tx) => {
    await lockTeam(tx, caller);
    const emailHash = hashOfEmail(seal, email);
    const people = await listPeople(tx, venue.id);
    if (people.some((person) => person.emailHash.equals(emailHash)))
      throw conflict('already_in_team', 'This person has a role in the venue already: change it instead.');
    const open = await listInvitations(tx, venue.id, now);
    if (people.length + open.length >= MAX_TEAM_SIZE)
      throw conflict(
        'team_full',
        `A venue has at most ${MAX_TEAM_SIZE} people and open invitations: remove one first.`,
      );
    const rule = `A venue invites at most ${INVITATIONS_PER_DAY} people a day.`;
    await requireDailyUses(tx, { subject: `invitations ${venue.id}`, limit: INVITATIONS_PER_DAY }, 1, rule);
    const id = ids.uuid();
    const sealed = seal.seal(email, sealNameOfInvitation(id));
    const expiresAt = now + INVITATION_MS;
    const places = { id, venueId: venue.id, invitedBy: account.id };
    const row = await insertInvitation(tx, { ...places, email: sealed, emailHash, role, expiresAt, now });
    const from = { person: account.name, venue: venue.name, url: `${services.consoleUrl()}/venues?join=1` };
    if (!(await queueMail(tx, services, 'invitation', id, invitationMail(email, role, from)))) throw tooManyMails();
    await audit(tx, caller, { venueId: venue.id, action: 'person.invite', subject: id, detail: { role } });
    return row;
  });
  return { status: 201, body: invitationView(seal, invitation) };
}

function tooManyMails(): Problem {
  return new Problem('rate_limited', {
    message: 'This mail address has got too many invitations today. Tell the person to sign in with it tomorrow.',
    headers: { 'retry-after': '86400' },
  });
}

export async function withdrawInvitation(
  { db }: AccountServices,
  caller: TeamCaller,
  { params: { id = '' } }: Input,
): Promise<OperationResult> {
  const { venue, now } = caller;
  await db.transaction(async (tx) => {
    await lockTeam(tx, caller);
    const ended = isUuid(id) ? await endInvitation(tx, venue.id, id, now) : null;
    if (ended === null) throw notFound();
    await audit(tx, caller, { venueId: venue.id, action: 'person.uninvite', subject: ended.id });
  });
  return { status: 200, body: { id: id.toLowerCase(), ended: true } };
}

/** A person who is signed in accepts every open invitation of their mail address. */
export async function acceptOwnInvitations({ db }: AccountServices, caller: AccountCaller): Promise<OperationResult> {
  const { id, email } = caller.account;
  const body = await db.transaction(async (tx) => {
    await joinInvitedVenues(tx, caller, id, hashOfEmail(caller.seal, email));
    return sessionBody(tx, caller);
  });
  return { status: 200, body };
}

/** Gives an account every role that its mail address was invited to. Returns how many. */
export async function joinInvitedVenues(
  tx: Queryable,
  command: CommandContext,
  accountId: string,
  emailHash: Buffer,
): Promise<number> {
  const accepted = await acceptInvitations(tx, emailHash, accountId, command.now);
  for (const { id, venueId, role } of accepted) {
    await insertPerson(tx, { venueId, accountId, role, now: command.now });
    await audit(tx, command, { venueId, action: 'person.join', subject: accountId, detail: { invitation: id, role } });
  }
  return accepted.length;
}
