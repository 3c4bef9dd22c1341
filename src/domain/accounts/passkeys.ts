// The passkeys of a person: listed, added, named, removed. Adding and removing one needs a fresh proof, is reported by mail,
// and is in the installation's audit log, since an account belongs to no venue. A person without passkeys signs in by a
// code.

import type { Passkey, PasskeyAdd, PasskeyRename } from '../../../schemas/types.gen.ts';
import type { Queryable } from '../../base/db.ts';
import { conflict, notFound } from '../../base/errors.ts';
import { isUuid } from '../../base/ids.ts';
import type { Input, OperationResult } from '../../base/operation.ts';
import { requireHourlyUse } from '../keys/hourly-limit.ts';
import { queueMail } from '../mail/mail.ts';
import { auditInstallation } from '../venues/audit.ts';
import type { AccountCaller } from './account.ts';
import { passkeyMail } from './mails.ts';
import { acceptCreation, issueChallenge, type PasskeyServices } from './passkey-challenges.ts';
import { deletePasskeyOf, insertPasskey, listPasskeysOf, type PasskeyRow, renamePasskeyOf } from './passkey-queries.ts';
import { lockAccount } from './queries.ts';
import { CHALLENGE_SECONDS, creationOptions, relyingPartyAt } from './webauthn.ts';

const MAX_PASSKEYS = 20;
const CREATIONS_PER_HOUR = 60;

export async function listPasskeys(
  { db }: { readonly db: Queryable },
  { account }: AccountCaller,
): Promise<OperationResult> {
  const passkeys = await listPasskeysOf(db, account.id);
  return { status: 200, body: { data: passkeys.map(passkeyView) } };
}

function passkeyView({ id, name, isSynced, createdAt, lastUsedAt }: PasskeyRow): Passkey {
  return { id, name, is_synced: isSynced, created_at: createdAt, last_used_at: lastUsedAt };
}

/** What the browser needs to make one. */
export async function beginPasskey(
  services: PasskeyServices,
  { account, session }: AccountCaller,
): Promise<OperationResult> {
  const rp = relyingPartyAt(services.consoleUrl());
  const { known, challenge } = await services.db.transaction(async (tx) => {
    const known = await listPasskeysOf(tx, account.id);
    requireRoom(known);
    const rule = `At most ${CREATIONS_PER_HOUR} passkeys an hour can be begun.`;
    await requireHourlyUse(tx, `console passkey ${account.id}`, CREATIONS_PER_HOUR, rule);
    return { known, challenge: await issueChallenge(tx, services, { purpose: 'add', sessionId: session.id }) };
  });
  const public_key = await creationOptions(rp, account, challenge, known);
  return { status: 200, body: { public_key, expires_in: CHALLENGE_SECONDS } };
}

function requireRoom(known: readonly PasskeyRow[]): void {
  if (known.length < MAX_PASSKEYS) return;
  throw conflict('too_many_passkeys', `An account has at most ${MAX_PASSKEYS} passkeys: remove one first.`);
}

export async function addPasskey(
  services: PasskeyServices,
  caller: AccountCaller,
  { body: { credential, name } }: Input<PasskeyAdd>,
): Promise<OperationResult> {
  const { account, session, now } = caller;
  const { ids } = services;
  const created = await acceptCreation(services, { purpose: 'add', sessionId: session.id }, credential);
  const added = await services.db.transaction(async (tx) => {
    // Two passkeys that are added at once are counted one after the other.
    await lockAccount(tx, account.id);
    requireRoom(await listPasskeysOf(tx, account.id));
    const passkey = await insertPasskey(tx, {
      ...created,
      id: ids.uuid(),
      accountId: account.id,
      transports: credential.response.transports ?? [],
      name: name ?? session.device ?? 'Passkey',
      now,
    });
    if (passkey === null) throw conflict('passkey_exists', 'This passkey was added already.');
    await report(tx, services, caller, passkey, 'added');
    return passkey;
  });
  return { status: 201, body: passkeyView(added) };
}

export async function renamePasskey(
  { db }: { readonly db: Queryable },
  { account }: AccountCaller,
  { params: { id = '' }, body: { name } }: Input<PasskeyRename>,
): Promise<OperationResult> {
  const renamed = isUuid(id) ? await renamePasskeyOf(db, account.id, id, name) : null;
  if (renamed === null) throw notFound();
  return { status: 200, body: passkeyView(renamed) };
}

export async function deletePasskey(
  services: PasskeyServices,
  caller: AccountCaller,
  { params: { id = '' } }: Input,
): Promise<OperationResult> {
  await services.db.transaction(async (tx) => {
    const removed = isUuid(id) ? await deletePasskeyOf(tx, caller.account.id, id) : null;
    if (removed === null) throw notFound();
    await report(tx, services, caller, removed, 'removed');
  });
  return { status: 200, body: { id: id.toLowerCase(), ended: true } };
}

/** In the audit log, and to the person. */
async function report(
  tx: Queryable,
  services: PasskeyServices,
  caller: AccountCaller,
  { id, name }: PasskeyRow,
  change: 'added' | 'removed',
): Promise<void> {
  const { account } = caller;
  const action = change === 'added' ? 'passkey.add' : 'passkey.remove';
  await auditInstallation(tx, caller, { action, subject: id, detail: { account: account.id, name } });
  if (!services.hasMail) return;
  const mail = passkeyMail(account.email, { change, name, url: services.consoleUrl() });
  await queueMail(tx, services, 'account', `${id} ${change}`, mail);
}
