// The operator's own acts on people: a member by phone, a group chat. The same phone again is the same member.

import type { CommandContext } from '../../base/command-context.ts';
import type { Queryable } from '../../base/db.ts';
import { sealPhone } from './phone.ts';
import { insertChannel, insertMember, type MemberRow } from './queries.ts';

export async function createMember(
  tx: Queryable,
  command: CommandContext,
  wish: { readonly phone: string; readonly name: string | null },
): Promise<MemberRow> {
  const sealed = sealPhone(command.seal, wish.phone);
  const { ids, now } = command;
  return insertMember(tx, { id: ids.uuid(), displayName: wish.name, ...sealed, joined: true, language: null, now });
}

export async function createChannel(
  tx: Queryable,
  command: CommandContext,
  wish: { readonly name: string | null; readonly memberIds: readonly string[] },
): Promise<string> {
  const id = command.ids.uuid();
  await insertChannel(tx, { id, ...wish, now: command.now });
  return id;
}
