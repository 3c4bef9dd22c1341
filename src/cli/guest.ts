// The operator's commands for what is stored about a guest: a copy of all of it, and its erasure.

import { candidateFrom } from '../base/schema/contract.ts';
import { eraseGuest, GuestIsPaying } from '../domain/privacy/erase-guest.ts';
import { exportGuest } from '../domain/privacy/export-guest.ts';
import type { Person } from '../domain/privacy/find-guest.ts';
import { factsFor } from '../domain/venues/venue.ts';
import type { AppContext } from '../run/context.ts';
import { commandError, quoted, usageError } from './cli-error.ts';
import type { Command } from './command-definition.ts';
import { SEALED_COLUMNS } from './encryption.ts';
import { block } from './table.ts';

const MAIL = /^[^\s@]{1,64}@[^\s@.][^\s@]{0,252}$/;

function parsePerson(text: string): Person {
  const trimmed = text.trim();
  if (trimmed.includes('@')) {
    if (!MAIL.test(trimmed)) throw usageError(`${quoted(text)} is no mail address: write it as ada@example.com.`);
    return { mail: trimmed.toLowerCase() };
  }
  const phone = trimmed.replaceAll(/[\s().-]/g, '');
  if (!/^\+\d{7,15}$/.test(phone))
    throw usageError(`${quoted(text)} is neither a mail address nor a phone: write a phone as +15550100042.`);
  return { phone };
}

/** A phone that could never have been stored is a typing mistake. */
function requirePossible({ contract, clock }: AppContext, person: Person): void {
  if ('mail' in person) return;
  const { problems } = contract.validate(
    'sign_in',
    candidateFrom({ phone: person.phone }),
    factsFor(clock.now(), null),
  );
  if (problems.length > 0) throw usageError(`${quoted(person.phone)} is no phone that gets texts: check its digits.`);
}

const exportOne: Command = {
  words: ['guest', 'export'],
  arguments: ['PHONE|MAIL'],
  help: 'print everything that is stored about a guest, as JSON',
  options: [],
  async run(input, open) {
    const person = parsePerson(input.argument(0));
    const { context, command } = await open();
    requirePossible(context, person);
    const json = await exportGuest(context.db, command.seal, person, SEALED_COLUMNS);
    return { json, text: JSON.stringify(json, null, 2) };
  },
};

const KEPT = 'Kept for the books: amounts, states, times, the brand and last digits of cards, and the audit log.';

const erase: Command = {
  words: ['guest', 'erase'],
  arguments: ['PHONE|MAIL'],
  help: 'remove a guest’s names, phone, mails and texts everywhere; money and audit log stay. There is no way back',
  options: [],
  async run(input, open) {
    const person = parsePerson(input.argument(0));
    const { context, command } = await open();
    requirePossible(context, person);
    const { erased, checkouts } = await eraseGuest(context.db, command, person, SEALED_COLUMNS).catch(
      (error: unknown) => {
        if (!(error instanceof GuestIsPaying)) throw error;
        throw commandError(
          `${error.message}. Nothing was erased: wait until they have ended, or cancel them, then run this again.`,
        );
      },
    );
    const total = Object.values(erased).reduce((sum, count) => sum + count, 0);
    const json = { erased, checkouts, kept: KEPT };
    if (total === 0) return { json, text: 'Nothing is stored about this guest.' };
    const rows = Object.entries(erased).map(([what, count]) => [what, String(count)] as [string, string]);
    return { json, text: `${block([...rows, ['checkouts', String(checkouts)]])}\n${KEPT}` };
  },
};

export const guestCommands: readonly Command[] = [exportOne, erase];
