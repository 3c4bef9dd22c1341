// The operator's commands for what is stored about a guest: a copy of all of it, and its erasure.

import { readErasureNotes, rememberedBackupFolder, writeErasureNote } from '../base/erasure-notes.ts';
import { candidateFrom } from '../base/schema/contract.ts';
import { type Erasure, ErasureMustWait, eraseGuest } from '../domain/privacy/erase-guest.ts';
import { exportGuest, type GuestExport } from '../domain/privacy/export-guest.ts';
import type { Person } from '../domain/privacy/find-guest.ts';
import { factsFor } from '../domain/venues/venue.ts';
import type { AppContext } from '../run/context.ts';
import { commandError, quoted, usageError } from './cli-error.ts';
import type { Command } from './command-definition.ts';
import { SEALED_COLUMNS } from './encryption.ts';
import { block } from './table.ts';

const MAIL = /^[^\s@]{1,64}@[^\s@.][^\s@]{0,252}$/;

const MEMBER_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

function parsePerson(text: string): Person {
  const trimmed = text.trim();
  if (MEMBER_ID.test(trimmed)) return { memberId: trimmed.toLowerCase() };
  if (trimmed.includes('@')) {
    if (!MAIL.test(trimmed)) throw usageError(`${quoted(text)} is no mail address: write it as ada@example.com.`);
    return { mail: trimmed.toLowerCase() };
  }
  const phone = trimmed.replaceAll(/[\s().-]/g, '');
  if (!/^\+\d{7,15}$/.test(phone))
    throw usageError(
      `${quoted(text)} is neither a mail address, a phone nor the id of a member: write a phone as +15550100042.`,
    );
  return { phone };
}

/**
 * Called when nothing is stored about the person: a phone that gets no texts is a typing mistake then. What is stored may
 * be older than the rules, or than PHONE_COUNTRIES.
 */
function requirePossible({ contract, clock }: AppContext, person: Person): void {
  if (!('phone' in person)) return;
  const { problems } = contract.validate(
    'sign_in',
    candidateFrom({ phone: person.phone }),
    factsFor(clock.now(), null),
  );
  if (problems.length > 0) throw usageError(`${quoted(person.phone)} is no phone that gets texts: check its digits.`);
}

/** Whether nothing about the person was found; `unreadable` counts rows of others. */
function isNothing({ people, shares, texts, mails, mentions, bookings }: GuestExport): boolean {
  return [people, shares, texts, mails, mentions, bookings].every((list) => list.length === 0);
}

const exportOne: Command = {
  words: ['guest', 'export'],
  arguments: ['PHONE|MAIL|MEMBER_ID'],
  help: 'print everything that is stored about a guest, as JSON',
  options: [],
  async run(input, open) {
    const person = parsePerson(input.argument(0));
    const { context, command } = await open();
    const json = await exportGuest(context.db, command.seal, person, SEALED_COLUMNS);
    if (isNothing(json)) requirePossible(context, person);
    return { json, text: JSON.stringify(json, null, 2) };
  },
};

const KEPT = 'Kept for the books: amounts, states, times, the brand and last digits of cards, and the audit log.';

const erase: Command = {
  words: ['guest', 'erase'],
  arguments: ['PHONE|MAIL|MEMBER_ID'],
  help: 'remove a guest’s names, phone, mails and texts everywhere; money and audit log stay. There is no way back',
  options: [
    {
      name: 'backups',
      valueName: 'DIR',
      help: 'where backups are: the erasure is noted there, encrypted, for "guest erase-again" after a restore. By default the folder of the last "everyshare backup"',
    },
  ],
  async run(input, open) {
    const person = parsePerson(input.argument(0));
    const { context, command } = await open();
    const result = await eraseGuest(context.db, command, person, SEALED_COLUMNS).catch((error: unknown) => {
      if (!(error instanceof ErasureMustWait)) throw error;
      throw commandError(`${error.message}. Nothing was erased: ${error.remedy}, then run this again.`);
    });
    const { erased, checkouts, waiting, unreadable } = result;
    const total = totalOf(result);
    const backups = input.text('backups');
    // With --backups the operator may give the command again, to note an erasure that has ended.
    if (total === 0 && unfinished(result) === null && backups === null) requirePossible(context, person);
    const note = await noteErasure(context, backups, person);
    const json = {
      erased,
      checkouts,
      waiting,
      unreadable,
      first_unreadable: result.firstUnreadable,
      note,
      kept: KEPT,
    };
    const rows = Object.entries(erased).map(([what, count]) => [what, String(count)] as [string, string]);
    const lines = [block([...rows, ['checkouts', String(checkouts)]]), KEPT, ...(note === null ? [NO_NOTE] : [])];
    const text = total === 0 ? NOTHING : lines.join('\n');
    const failure = unfinished(result);
    return failure === null ? { json, text } : { json, text: total === 0 ? '' : text, failure };
  },
};

const NO_NOTE =
  'Backups still have this guest: name their folder with --backups DIR, so that the guest can be erased again after a restore.';

/** Returns the file; null: no folder of backups is known. */
async function noteErasure(
  { config, seal, random, clock }: AppContext,
  named: string | null,
  person: Person,
): Promise<string | null> {
  const folder = named ?? (config.databaseUrl === null ? await rememberedBackupFolder(config.dataDir) : null);
  if (folder === null) return null;
  const parts = { seal, random, now: clock.now() };
  return writeErasureNote(folder, JSON.stringify(person), parts).catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error);
    throw commandError(
      `The guest was erased, but that could not be noted beside the backups (${reason}): a restore would bring the guest back. Make ${folder} writable, or name another folder with --backups DIR, and run this again.`,
    );
  });
}

const eraseAgain: Command = {
  words: ['guest', 'erase-again'],
  arguments: ['DIR'],
  help: 'after a restore: erase the guests again that were erased after the backup, as noted beside the backups in DIR',
  options: [{ name: 'since', valueName: 'TIME', isRequired: true, help: 'when the restored backup was made' }],
  async run(input, open) {
    const since = Date.parse(input.required('since'));
    if (Number.isNaN(since))
      throw usageError(`"--since" is no time: write it as 2026-11-18T09:00:00.000Z, as "restore" prints it.`);
    const { context, command } = await open();
    const { people, unreadable } = await readErasureNotes(input.argument(0), since, context.seal);
    const left = unreadable.map((file) => `${file} opens with none of the keys of ENCRYPTION_KEY`);
    let [guests, rows] = [0, 0];
    for (const text of people) {
      try {
        const result = await eraseGuest(context.db, command, JSON.parse(text) as Person, SEALED_COLUMNS);
        const total = totalOf(result);
        if (total > 0) guests++;
        rows += total;
        const reason = unfinished(result);
        if (reason !== null) left.push(reason);
      } catch (error) {
        if (!(error instanceof ErasureMustWait)) throw error;
        left.push(`${error.message}: ${error.remedy}`);
      }
    }
    const json = { notes: people.length, guests, rows, left };
    const text = block([
      ['noted', String(people.length)],
      ['guests erased', String(guests)],
      ['rows', String(rows)],
    ]);
    if (left.length === 0) return { json, text };
    return { json, text, failure: `${left.length} erasures have not ended: ${left.join('; ')}. Then run this again.` };
  },
};

function totalOf({ erased }: Erasure): number {
  return Object.values(erased).reduce((sum, count) => sum + count, 0);
}

const NOTHING = 'Nothing is stored about this guest.';

/** What the erasure could not take yet; null: it has ended. */
function unfinished({ waiting, unreadable, firstUnreadable }: Erasure): string | null {
  const reasons = [
    ...(waiting === 0 ? [] : [`${waiting} deliveries of venue systems that name the guest are not applied yet`]),
    ...(unreadable === 0
      ? []
      : [
          `${unreadable} rows open with none of the keys of ENCRYPTION_KEY, the first is ${firstUnreadable} (add the key that sealed them, or wait 30 days until they are deleted)`,
        ]),
  ];
  if (reasons.length === 0) return null;
  return `The erasure has not ended: ${reasons.join(', and ')}. Run the same command again then; until it ends, the guest’s names are kept for it, encrypted.`;
}

export const guestCommands: readonly Command[] = [exportOne, erase, eraseAgain];
