// Commands of the operator: creates a member by phone, or a group chat. The same phone again returns the same member. A
// phone that gets no texts is refused, as at sign-in.

import type { CommandContext } from '../../base/command-context.ts';
import type { Queryable } from '../../base/db.ts';
import { invalid } from '../../base/errors.ts';
import { candidateFrom } from '../../base/schema/contract.ts';
import { factsFor } from '../venues/venue.ts';
import { sealPhone } from './phone.ts';
import { checkedName } from './profile.ts';
import { insertChannel, insertMember, type MemberRow } from './queries.ts';

export async function createMember(
  tx: Queryable,
  command: CommandContext,
  request: { readonly phone: string; readonly name: string | null },
): Promise<MemberRow> {
  const { contract, ids, now, seal } = command;
  const { problems } = contract.validate('sign_in', candidateFrom({ phone: request.phone }), factsFor(now, null));
  if (problems.length > 0) throw invalid(problems);
  const sealed = sealPhone(seal, request.phone);
  return insertMember(tx, {
    id: ids.uuid(),
    displayName: request.name === null ? null : checkedName(request.name),
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
