// The operator's commands for the people who may use the desk.

import { Problem } from '../base/errors.ts';
import { OPERATOR_ROLES } from '../domain/accounts/operator-roles.ts';
import { addOperator, listOperators, removeOperator } from '../domain/accounts/operators.ts';
import { isMailAddress } from '../domain/venues/venue-profile.ts';
import { commandError, quoted, usageError } from './cli-error.ts';
import type { Command, CommandInput } from './command-definition.ts';
import { choiceOption } from './options.ts';
import { block, formatTimestamp, table } from './table.ts';

function mailIn(input: CommandInput): string {
  const mail = input.argument(0);
  if (!isMailAddress(mail)) throw usageError(`MAIL is ${quoted(mail)}: give a mail address, such as ines@example.com.`);
  return mail;
}

const add: Command = {
  words: ['operator', 'add'],
  arguments: ['MAIL'],
  help: 'let a person use the desk, or change their role there; "console link" lets them in without a mail',
  mayBeFirst: true,
  options: [
    {
      name: 'role',
      valueName: 'ROLE',
      isRequired: true,
      help: 'admin (all), reviewer (reviews), finance (money) or support (reads)',
    },
  ],
  async run(input, open) {
    const email = mailIn(input);
    const role = choiceOption(input, 'role', OPERATOR_ROLES);
    const { context, command } = await open();
    const account = await context.db.transaction((tx) => addOperator(tx, command, { email, role }));
    return {
      json: { account, email, role },
      text: block([
        ['account', account],
        ['mail', email],
        ['role', role],
      ]),
    };
  },
};

const list: Command = {
  words: ['operator', 'list'],
  arguments: [],
  help: 'list the people who may use the desk',
  options: [],
  async run(_input, open) {
    const { context } = await open();
    const operators = await listOperators(context.db, context.seal);
    const rows = operators.map(({ email, name, role, created_at }) => [
      email,
      name ?? '-',
      role,
      formatTimestamp(created_at),
    ]);
    return {
      json: operators,
      text: rows.length === 0 ? 'There is no operator yet.' : table(['MAIL', 'NAME', 'ROLE', 'SINCE'], rows),
    };
  },
};

const remove: Command = {
  words: ['operator', 'remove'],
  arguments: ['MAIL'],
  help: 'let a person use the desk no longer; their roles in venues stay',
  options: [],
  async run(input, open) {
    const email = mailIn(input);
    const { context, command } = await open();
    try {
      const account = await context.db.transaction((tx) => removeOperator(tx, command, email));
      return { json: { account, email, removed: true }, text: `${email} is no operator any more.` };
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'not_found') throw error;
      throw commandError(`${email} is no operator: "everyshare operator list" shows them.`);
    }
  },
};

export const operatorCommands: readonly Command[] = [add, list, remove];
