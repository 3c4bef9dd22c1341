// A link that signs a person in to the console, once and within 15 minutes, for the operator's shell: no mail is needed.
// The operator vouches for the person. The token is in the part of the address after `#`, which browsers do not send, so
// that no log has it.

import { timingSafeEqual } from 'node:crypto';
import type { CommandContext } from '../../base/command-context.ts';
import type { Queryable } from '../../base/db.ts';
import { invalid, Problem } from '../../base/errors.ts';
import { isUuid } from '../../base/ids.ts';
import { audit, auditInstallation } from '../venues/audit.ts';
import { findFirstVenue } from '../venues/queries.ts';
import { hashOfEmail, sealNameOfAccount, sealNameOfChallenge } from './account.ts';
import { type AccountServices, hashOfCode } from './challenges.ts';
import { roleOfOperator } from './operator-queries.ts';
import { insertPerson, rolesOfAccount } from './people-queries.ts';
import { findAccountByEmail, insertAccount, insertChallenge, type TriedChallenge, tryChallenge } from './queries.ts';

/** A domain that is reserved for examples: a first user of a sandbox needs no mailbox. */
export const FIRST_OWNER = 'owner@example.com';
export const LINK_SECONDS = 900;
const SECRET_BYTES = 32;
/** The id of the challenge, a point, and 32 bytes in base64url. */
const TOKEN = /^([0-9a-f-]{36})\.([A-Za-z0-9_-]{43})$/;

export interface ConsoleLink {
  readonly token: string;
  readonly accountId: string;
  /** Null: the person is an operator without a role in a venue. */
  readonly venueId: string | null;
}

/**
 * Makes the account if there is none. One without a role becomes owner of the venue, or of the first venue of the
 * installation; an operator only of a venue that is named.
 */
export async function createConsoleLink(
  tx: Queryable,
  command: CommandContext,
  { email, venueId }: { readonly email: string; readonly venueId: string | null },
): Promise<ConsoleLink> {
  const { ids, random, seal, now } = command;
  const emailHash = hashOfEmail(seal, email);
  const accountId = await findOrCreateAccount(tx, command, email, emailHash);
  const venue = await roleFor(tx, command, accountId, venueId);
  const id = ids.uuid();
  const secret = random.bytes(SECRET_BYTES).toString('base64url');
  await insertChallenge(tx, {
    id,
    purpose: 'link',
    sessionId: null,
    email: seal.seal(email, sealNameOfChallenge(id)),
    emailHash,
    codeHash: hashOfCode(seal, id, secret),
    expiresAt: now + LINK_SECONDS * 1_000,
    now,
  });
  const entry = { action: 'console.link', subject: accountId };
  if (venue === null) await auditInstallation(tx, command, entry);
  else await audit(tx, command, { venueId: venue, ...entry });
  return { token: `${id}.${secret}`, accountId, venueId: venue };
}

/** The address that a person opens. */
export function consoleLinkUrl(consoleUrl: string, { token }: Pick<ConsoleLink, 'token'>): string {
  return `${consoleUrl}#link=${token}`;
}

/** The account of a mail address; it is made where there is none. */
export async function findOrCreateAccount(
  tx: Queryable,
  { ids, seal, now }: CommandContext,
  email: string,
  emailHash: Buffer,
): Promise<string> {
  const id = ids.uuid();
  const account = { id, email: seal.seal(email, sealNameOfAccount(id)), emailHash, name: null, now };
  const found = (await insertAccount(tx, account)) ?? (await findAccountByEmail(tx, emailHash));
  if (found === null) throw new Error('the account of a mail address was neither found nor created');
  return found.id;
}

/** The venue in which the account has a role from now on; null: none, the account is of an operator. */
async function roleFor(
  tx: Queryable,
  command: CommandContext,
  accountId: string,
  wanted: string | null,
): Promise<string | null> {
  const roles = await rolesOfAccount(tx, accountId);
  const known = wanted === null ? roles[0] : roles.find(({ venueId }) => venueId === wanted);
  if (known !== undefined) return known.venueId;
  if (wanted === null && (await roleOfOperator(tx, accountId)) !== null) return null;
  const venueId = wanted ?? (await findFirstVenue(tx));
  if (venueId === null)
    throw new Problem('invalid_request', { message: 'There is no venue yet: create one first.', field: '/venue' });
  await insertPerson(tx, { venueId, accountId, role: 'owner', now: command.now });
  await audit(tx, command, { venueId, action: 'person.add', subject: accountId, detail: { role: 'owner' } });
  return venueId;
}

/** The challenge of a link's token. The caller spends it in the transaction that opens the session. */
export async function checkLink(
  { db, seal }: Pick<AccountServices, 'db' | 'seal'>,
  token: string,
  now: number,
): Promise<{ readonly id: string; readonly challenge: TriedChallenge }> {
  const [, id = '', secret = ''] = TOKEN.exec(token) ?? [];
  const challenge = isUuid(id) ? await tryChallenge(db, { id, purpose: 'link', sessionId: null }, now) : null;
  if (challenge === null || !timingSafeEqual(challenge.codeHash, hashOfCode(seal, id, secret))) throw invalidLink();
  return { id, challenge };
}

function invalidLink(): Problem {
  return invalid([
    {
      code: 'invalid_value',
      field: '/token',
      message: 'This link was used, or is older than 15 minutes. `everyshare console link` prints another.',
      expected: 'the token of a link that was not used',
      example_fix: '0197f2c4-6a10-7c3e-9b1d-5f2a8c4e7d10.vKq3m0Zt5n1bYw8xJ2hRr6cLd9sGpTfAoEiUyNkHeWQ',
    },
  ]);
}
