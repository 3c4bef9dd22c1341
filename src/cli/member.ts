// The operator's commands for people: members, their tokens, and group chats.

import { createChannel, createMember } from '../domain/members/create-member.ts';
import { findMembers } from '../domain/members/queries.ts';
import { TOKEN_SECONDS } from '../domain/members/token-keys.ts';
import type { AppContext } from '../run/context.ts';
import { commandError, quoted, unknownId, usageError } from './cli-error.ts';
import type { Command } from './command-definition.ts';
import { parseId } from './options.ts';
import { block } from './table.ts';

/** The server refuses a token that names another address as its issuer. */
function requireServerAddress({ address }: AppContext): void {
  if (address.base !== '') return;
  throw commandError(
    'the address of the server is not known yet, and a token must name it: start the server once, or set BASE_URL.',
  );
}

const create: Command = {
  words: ['member', 'create'],
  arguments: [],
  help: 'create a member with a phone, and give a token; the same phone again is the same member',
  mayBeFirst: true,
  options: [
    { name: 'phone', valueName: 'P', isRequired: true, help: 'in E.164 form, such as +15550100042' },
    { name: 'name', valueName: 'N', help: 'what to call them, 1 to 80 characters' },
  ],
  async run(input, open) {
    const phone = input.required('phone').replaceAll(/[\s().-]/g, '');
    const name = input.text('name');
    if (name !== null && (name.trim() === '' || [...name].length > 80)) {
      throw usageError(`--name is ${quoted(name)}: give 1 to 80 characters.`);
    }
    const { context, command } = await open();
    requireServerAddress(context);
    const member = await context.db.transaction((tx) => createMember(tx, command, { phone, name }));
    const token = await context.tokens.sign(member.id);
    return {
      json: { id: member.id, display_name: member.displayName, token },
      text: block([
        ['id', member.id],
        ['name', member.displayName ?? ''],
        ['token', token],
      ]),
    };
  },
};

const token: Command = {
  words: ['member', 'token'],
  arguments: ['ID'],
  help: 'give a member a token, good for an hour',
  options: [],
  async run(input, open) {
    const id = parseId(input.argument(0), 'ID', 'member create');
    const { context } = await open();
    requireServerAddress(context);
    if (!(await findMembers(context.db, [id])).has(id)) throw unknownId('member', id);
    const signed = await context.tokens.sign(id);
    return { json: { token: signed, expires_in: TOKEN_SECONDS }, text: signed };
  },
};

const channel: Command = {
  words: ['channel', 'create'],
  arguments: [],
  help: 'create a group chat of members',
  options: [
    { name: 'member', valueName: 'ID', isRequired: true, isRepeatable: true, help: 'a member of it' },
    { name: 'name', valueName: 'N', help: 'what to call it' },
  ],
  async run(input, open) {
    const memberIds = [...new Set(input.texts('member').map((id) => parseId(id, '--member', 'member create')))];
    const { context, command } = await open();
    const known = await findMembers(context.db, memberIds);
    for (const id of memberIds) if (!known.has(id)) throw unknownId('member', id);
    const name = input.text('name');
    const id = await context.db.transaction((tx) => createChannel(tx, command, { name, memberIds }));
    return {
      json: { id, name, members: memberIds },
      text: block([
        ['id', id],
        ['members', memberIds.join(', ')],
      ]),
    };
  },
};

export const memberCommands: readonly Command[] = [create, token, channel];
