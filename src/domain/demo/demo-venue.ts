// The demo's venue with its fee and profile, its people and its keys, as they were made a year ago.

import type { Actor, CommandContext } from '../../base/command-context.ts';
import type { Mode } from '../../base/config.ts';
import type { Queryable } from '../../base/db.ts';
import { actorNameOf, hashOfEmail, sealNameOfAccount } from '../accounts/account.ts';
import { insertPerson } from '../accounts/people-queries.ts';
import { findAccountByEmail, insertAccount } from '../accounts/queries.ts';
import type { Role } from '../accounts/roles.ts';
import { issueKey, type NewKeyRequest } from '../keys/issue-key.ts';
import { revokeKey } from '../keys/revoke-key.ts';
import { audit } from '../venues/audit.ts';
import { changeFee } from '../venues/change-venue.ts';
import { createVenue } from '../venues/create-venue.ts';
import { changeVenueProfile } from '../venues/venue-profile.ts';
import { idsAt } from './past-ids.ts';
import { VENUE_TIMEZONE } from './venue-time.ts';

const DAY = 24 * 3_600_000;

export const DEMO_NAME = 'Harbor Club';
export const DEMO_ORIGIN = 'https://harbor-club.example';
export const OWNER_EMAIL = 'dana@harbor-club.example';
const FEE_BPS = 300;

/** A command of someone at a time in the past. */
export function commandAt(command: CommandContext, at: number, actor: Actor = command.actor): CommandContext {
  return { ...command, now: at, ids: idsAt(at, command.random), actor };
}

/** Linked: the operator vouches for it. */
export async function createDemoVenue(tx: Queryable, command: CommandContext): Promise<string> {
  const { id } = await createVenue(tx, command, { name: DEMO_NAME, origins: [DEMO_ORIGIN], sandbox: false });
  return id;
}

export async function describeVenue(tx: Queryable, command: CommandContext, venueId: string): Promise<void> {
  await changeFee(tx, command, venueId, FEE_BPS, 0);
  await changeVenueProfile(tx, command, venueId, {
    timezone: VENUE_TIMEZONE,
    support_email: 'hello@harbor-club.example',
    support_url: `${DEMO_ORIGIN}/contact`,
    terms_url: `${DEMO_ORIGIN}/terms`,
    privacy_url: `${DEMO_ORIGIN}/privacy`,
    accent_color: '#0b5c4b',
  });
}

const TEAM: readonly { readonly email: string; readonly name: string; readonly role: Role; readonly day: number }[] = [
  { email: OWNER_EMAIL, name: 'Dana Whitlock', role: 'owner', day: 0 },
  { email: 'priya@harbor-club.example', name: 'Priya Nair', role: 'developer', day: 1 },
  { email: 'luis@harbor-club.example', name: 'Luis Ortega', role: 'finance', day: 40 },
  { email: 'mia@harbor-club.example', name: 'Mia Chen', role: 'viewer', day: 190 },
];

/** How the audit log names each person of the team. */
export type TeamActors = Readonly<Record<Role, Actor>>;

export async function addTeam(
  tx: Queryable,
  command: CommandContext,
  venueId: string,
  yearBegins: number,
): Promise<TeamActors> {
  const actors: Partial<Record<Role, Actor>> = {};
  for (const { email, name, role, day } of TEAM) {
    const at = yearBegins + day * DAY;
    const accountId = await findOrAddAccount(tx, commandAt(command, at), email, name);
    const actor = { name: actorNameOf(accountId), via: 'http', address: '203.0.113.0', requestId: null } as const;
    actors[role] = actor;
    await insertPerson(tx, { venueId, accountId, role, now: at });
    const by = commandAt(command, at, actors.owner ?? actor);
    await audit(tx, by, { venueId, action: 'person.add', subject: accountId, detail: { role } });
  }
  return actors as TeamActors;
}

async function findOrAddAccount(
  tx: Queryable,
  { ids, seal, now }: CommandContext,
  email: string,
  name: string,
): Promise<string> {
  const id = ids.uuid();
  const emailHash = hashOfEmail(seal, email);
  const account = { id, email: seal.seal(email, sealNameOfAccount(id)), emailHash, name, now };
  const found = (await insertAccount(tx, account)) ?? (await findAccountByEmail(tx, emailHash));
  if (found === null) throw new Error('the account of a mail address was neither found nor created');
  return found.id;
}

const LIVE_SCOPES = ['checkouts:write', 'checkouts:read', 'offerings:write', 'offerings:read', 'webhooks:write'];

type DemoKey = Pick<NewKeyRequest, 'kind' | 'scopes'> & {
  readonly name: string;
  readonly day: number;
  /** How many days it lives from the end of the year on; absent: without end. */
  readonly expiresInDays?: number;
  readonly isRevoked?: true;
};

const KEYS: readonly DemoKey[] = [
  { name: 'Booking server', kind: 'secret', scopes: LIVE_SCOPES, day: 0 },
  { name: 'Website', kind: 'publishable', scopes: [], day: 0 },
  { name: 'Finance export', kind: 'secret', scopes: ['bookings:read', 'analytics:read'], day: 60, expiresInDays: 12 },
  { name: 'Old booking server', kind: 'secret', scopes: LIVE_SCOPES, day: 2, isRevoked: true },
];

export interface DemoKeys {
  /** The id of the secret key. */
  readonly secretId: string;
  readonly secret: string;
  readonly publishable: string;
}

/** The keys of one mode. Returns those that a person would use. */
export async function addKeys(
  tx: Queryable,
  command: CommandContext,
  venueId: string,
  mode: Mode,
  { yearBegins, until }: { readonly yearBegins: number; readonly until: number },
): Promise<DemoKeys> {
  const issued = new Map<string, { readonly id: string; readonly key: string }>();
  for (const { name, kind, scopes, day, expiresInDays, isRevoked } of KEYS) {
    const at = yearBegins + day * DAY;
    const expiresAt = expiresInDays === undefined ? null : new Date(until + expiresInDays * DAY).toISOString();
    const limits = { allowIps: [], writesPerHour: null, readsPerHour: null };
    const request = { venueId, name, kind, mode, scopes: mode === 'live' ? scopes : [], expiresAt, ...limits };
    const { id, key } = await issueKey(tx, commandAt(command, at), request);
    issued.set(name, { id, key });
    if (isRevoked === true) await revokeKey(tx, commandAt(command, at + 58 * DAY), id);
  }
  const [secret, publishable] = [issued.get('Booking server'), issued.get('Website')];
  if (secret === undefined || publishable === undefined) throw new Error('the demo’s keys were not issued');
  return { secretId: secret.id, secret: secret.key, publishable: publishable.key };
}
