// The operator's commands for the keys that sign members' tokens: list, rotate, retire.

import {
  listKeysWithState,
  MAX_TOKEN_KEYS,
  type RetireResult,
  retireTokenKey,
  rotateTokenKey,
} from '../domain/members/token-keys.ts';
import { commandError, unknownId } from './cli-error.ts';
import type { Command } from './command-definition.ts';
import { parseId } from './options.ts';
import { formatTimestamp, table } from './table.ts';

const isoTime = (ms: number): string => new Date(ms).toISOString();

const list: Command = {
  words: ['token-key', 'list'],
  arguments: [],
  help: 'list the keys that sign members’ tokens, newest first',
  options: [],
  async run(_input, open) {
    const { context, command } = await open();
    const keys = await listKeysWithState(context.db, command.now);
    return {
      json: keys.map(({ id, createdAt, isSigning }) => ({ id, created_at: isoTime(createdAt), signs: isSigning })),
      text: table(
        ['ID', 'CREATED', 'SIGNS'],
        keys.map(({ id, createdAt, isSigning }) => [id, formatTimestamp(isoTime(createdAt)), isSigning ? 'yes' : '']),
      ),
    };
  },
};

const rotate: Command = {
  words: ['token-key', 'rotate'],
  arguments: [],
  help: 'make a new key; it signs after a minute, and tokens of the earlier ones stay valid until their end',
  options: [],
  async run(_input, open) {
    const { context, command } = await open();
    const key = await context.db.transaction((tx) => rotateTokenKey(tx, command));
    if (key === null) throw commandError(`there are ${MAX_TOKEN_KEYS} keys: retire one first (token-key list).`);
    const signsAt = isoTime(key.signsAt);
    return { json: { id: key.id, signs_at: signsAt }, text: `${key.id} signs from ${formatTimestamp(signsAt)} on.` };
  },
};

const retire: Command = {
  words: ['token-key', 'retire'],
  arguments: ['ID'],
  help: 'remove a key that signs no more; servers refuse its tokens within a minute',
  options: [
    { name: 'now', valueName: null, help: 'also while tokens are valid that it signed: those members sign in again' },
  ],
  async run(input, open) {
    const id = parseId(input.argument(0), 'ID', 'token-key list');
    const { context, command } = await open();
    const result = await context.db.transaction((tx) => retireTokenKey(tx, command, id, input.flag('now')));
    refuse(result, id);
    return { json: { id, retired: true }, text: `${id} is retired: servers refuse its tokens within a minute.` };
  },
};

function refuse(result: RetireResult, id: string): void {
  switch (result.outcome) {
    case 'retired':
      return;
    case 'unknown':
      throw unknownId('token-key', id);
    case 'in_use':
      throw commandError(`${id} signs tokens now: run token-key rotate, and retire it when the new key signs.`);
    case 'tokens_valid':
      throw commandError(
        `tokens that ${id} signed can be valid until ${isoTime(result.until)}: retire it then, or end them with --now.`,
      );
  }
}

export const tokenKeyCommands: readonly Command[] = [list, rotate, retire];
