// What the organizer has typed on the way to a party: people they know, group chats, phones, open seats, and the split.
// Read from the form and kept as typed, so that nothing is lost by an error; turned into the body of the one operation
// that chooses a party. Phones are understood as people write them.

import { parsePhoneNumberFromString } from 'libphonenumber-js/min';
import { splitEqually } from '../../base/money.ts';

export interface PhoneRow {
  readonly name: string;
  readonly phone: string;
}

export interface PartyForm {
  /** Members by id: friends, and those who are in the party already. */
  readonly members: readonly string[];
  readonly channels: readonly string[];
  readonly phones: readonly PhoneRow[];
  readonly seats: number;
  readonly split: 'equal' | 'custom';
  /** What was typed for each person, by their key. */
  readonly amounts: Readonly<Record<string, string>>;
}

const MOST_ROWS = 50;
const MOST_TEXT = 80;

export function readPartyForm(form: URLSearchParams): PartyForm {
  const names = form.getAll('name');
  const phones = form
    .getAll('phone')
    .slice(0, MOST_ROWS)
    .map((phone, index) => ({ phone: cut(phone), name: cut(names[index] ?? '') }));
  const amounts: Record<string, string> = {};
  for (const [key, value] of form) {
    if (key.startsWith('amount:') && Object.keys(amounts).length <= MOST_ROWS) amounts[key.slice(7)] = cut(value);
  }
  const seats = Number.parseInt(form.get('seats') ?? '0', 10);
  return {
    members: unique(form.getAll('member')),
    channels: unique(form.getAll('channel')),
    phones: phones.filter(({ phone, name }) => phone !== '' || name !== ''),
    seats: Number.isInteger(seats) ? Math.min(Math.max(seats, 0), MOST_ROWS) : 0,
    split: form.get('split') === 'custom' ? 'custom' : 'equal',
    amounts,
  };
}

function cut(text: string): string {
  return text.trim().slice(0, MOST_TEXT);
}

function unique(texts: readonly string[]): string[] {
  return [...new Set(texts)].slice(0, MOST_ROWS);
}

/** In E.164 form; null: nobody can be called that way. A number without a country is one of the venue's: the USA's. */
export function phoneOf(typed: string): string | null {
  const parsed = parsePhoneNumberFromString(typed, 'US');
  if (parsed === undefined) return null;
  // The reserved numbers of the sandbox belong to nobody, so that no list of numbers knows them.
  return parsed.isPossible() ? parsed.number : null;
}

/** A person of the party as it would be: how the split names them, and what they are called. */
export interface Seated {
  readonly key: string;
  readonly name: string | null;
  readonly kind: 'organizer' | 'member' | 'phone' | 'seat';
}

export type Amounts =
  | { readonly amounts: readonly number[]; readonly left: 0 }
  /** What does not add up yet, or cannot be read: at which place. */
  | { readonly amounts: readonly (number | null)[]; readonly left: number | null };

/** The amounts of a split as typed; prefilled equally where nothing was typed. */
export function amountsOf(form: PartyForm, people: readonly Seated[], whole: number): Amounts {
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

/** As an input shows it. */
export function typedAmount(amount: number): string {
  return `${Math.floor(amount / 100)}.${String(amount % 100).padStart(2, '0')}`;
}
