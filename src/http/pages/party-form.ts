// The organizer's form for choosing a party: friends, group chats, phones, open seats and the split. Values stay as typed,
// so that an error loses nothing. Phones and amounts are accepted in the usual spellings.

import { splitEqually } from '../../base/money.ts';
import { normalizeName } from '../../base/plain-name.ts';

export interface PhoneRow {
  readonly name: string;
  readonly phone: string;
}

export interface PartyForm {
  /** Ids of members: friends and people who are already in the party. */
  readonly members: readonly string[];
  readonly channels: readonly string[];
  readonly phones: readonly PhoneRow[];
  /** What is in the box for names and numbers. */
  readonly typedPeople: string;
  readonly seats: number;
  /** The number of seats that the form proposed: as long as it is unchanged, people who are added take those seats. */
  readonly proposedSeats: number | null;
  readonly split: 'equal' | 'custom';
  /** The typed amounts by the key of the party entry. */
  readonly amounts: Readonly<Record<string, string>>;
  /** The version of the party that the form was rendered from. */
  readonly seenVersion: string;
}

export const MAX_ROWS = 50;
/** Of the box. The browser does not take more. */
export const MAX_TYPED_PEOPLE = 4_000;
const MAX_TEXT_LENGTH = 80;

export function readPartyForm(form: URLSearchParams): PartyForm {
  const names = form.getAll('name');
  const phones = form
    .getAll('phone')
    .slice(0, MAX_ROWS)
    .map((phone, index) => ({ phone: cleanText(phone), name: cleanText(names[index] ?? '') }));
  const amounts: Record<string, string> = {};
  for (const [key, value] of form) {
    if (key.startsWith('amount:') && Object.keys(amounts).length <= MAX_ROWS) amounts[key.slice(7)] = cleanText(value);
  }
  const seats = Number.parseInt(form.get('seats') ?? '0', 10);
  return {
    members: unique(form.getAll('member')),
    channels: unique(form.getAll('channel')),
    phones: phones.filter(({ phone, name }) => phone !== '' || name !== ''),
    typedPeople: (form.get('people') ?? '').slice(0, 2 * MAX_TYPED_PEOPLE),
    seats: Number.isInteger(seats) ? Math.min(Math.max(seats, 0), MAX_ROWS) : 0,
    proposedSeats: form.get('proposed') ? Number.parseInt(form.get('proposed') ?? '', 10) : null,
    split: form.get('split') === 'custom' ? 'custom' : 'equal',
    amounts,
    seenVersion: form.get('seen') ?? '',
  };
}

/** Without invisible characters, and cut by whole characters. */
export function cleanText(text: string): string {
  return [...normalizeName(text.slice(0, 4 * MAX_TEXT_LENGTH))].slice(0, MAX_TEXT_LENGTH).join('').trim();
}

function unique(texts: readonly string[]): string[] {
  return [...new Set(texts)].slice(0, MAX_ROWS);
}

/** A person or open seat of the chosen party. `key` identifies it in the split's form fields. */
export interface PartyEntry {
  readonly key: string;
  readonly name: string | null;
  readonly kind: 'organizer' | 'member' | 'phone' | 'seat';
}

export type SplitAmounts =
  | { readonly amounts: readonly number[]; readonly left: 0 }
  /** The amounts do not add up (`left`), or at least one cannot be parsed (null). */
  | { readonly amounts: readonly (number | null)[]; readonly left: number | null };

/** The typed amounts; an entry without one gets its equal share. */
export function splitAmounts(form: PartyForm, people: readonly PartyEntry[], whole: number): SplitAmounts {
  const equal = splitEqually(whole, people.length);
  if (form.split === 'equal') return { amounts: equal, left: 0 };
  const amounts = people.map(({ key }, index) => {
    const typed = form.amounts[key];
    return typed === undefined ? (equal[index] ?? 0) : parseAmount(typed);
  });
  if (amounts.some((amount) => amount === null)) return { amounts, left: null };
  const left = whole - amounts.reduce<number>((sum, amount) => sum + (amount ?? 0), 0);
  return left === 0 ? { amounts: amounts as readonly number[], left } : { amounts, left };
}

/** "40", "40.5", "40,50", "$40.00": minor units; null: not an amount. */
export function parseAmount(typed: string): number | null {
  const match = /^[^\d.,-]*(\d{1,7})(?:[.,](\d{1,2}))?[^\d.,]*$/.exec(typed.trim());
  if (match === null) return null;
  return Number(match[1]) * 100 + Number((match[2] ?? '').padEnd(2, '0'));
}

/** The value of an amount's input. */
export function formatAmountInput(amount: number): string {
  return `${Math.floor(amount / 100)}.${String(amount % 100).padStart(2, '0')}`;
}
