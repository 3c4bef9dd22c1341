// Commands of the operator: creates a member by phone, or a group chat. The same phone again returns the same member.

import type { CommandContext } from '../../base/command-context.ts';
import type { Queryable } from '../../base/db.ts';
import { sealPhone } from './phone.ts';
import { insertChannel, insertMember, type MemberRow } from './queries.ts';

export async function createMember(
  tx: Queryable,
  command: CommandContext,
  request: { readonly phone: string; readonly name: string | null },
): Promise<MemberRow> {
  const sealed = sealPhone(command.seal, request.phone);
  const { ids, now } = command;
  return insertMember(tx, {
    id: ids.uuid(),
    displayName: request.name,
    ...sealed,
    language: null,
    now,
  });
}

export async function createChannel(
  tx: Queryable,
  command: CommandContext,
  request: { readonly name: string | null; readonly memberIds: readonly string[] },
): Promise<string> {
  const id = command.ids.uuid();
  await insertChannel(tx, { id, ...request, now: command.now });
  return id;
}
