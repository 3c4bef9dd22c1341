// People as an organizer types or pastes them: each on a line, or divided by commas or semicolons, with a number and perhaps
// a name, in either order. Pure.

import { type PhoneSettings, parsePhone } from '../../../schemas/rules/phone.ts';
import { cleanText, MAX_ROWS, type PartyForm, type PhoneRow } from './party-form.ts';

/** Digits with the signs that people write between them. */
const NUMBER = /\+?\(?\d[\d\s()./-]{5,}\d/g;
/** What stands between a name and its number. */
const EDGES = /^[\s:<>()[\]"'|*\u2022\u2013\u2014-]+|[\s:<>()[\]"'|*\u2022\u2013\u2014-]+$/gu;

export interface TypedPeople {
  readonly people: readonly PhoneRow[];
  /** What has no number that gets texts, as it was typed. */
  readonly rest: readonly string[];
}

export function readTypedPeople(typed: string, phones: PhoneSettings): TypedPeople {
  const people: PhoneRow[] = [];
  const rest: string[] = [];
  for (const part of typed.split(/[\r\n,;]+/).map((text) => text.trim())) {
    const person = readPerson(part, phones);
    if (person !== null) people.push(person);
    else if (part !== '') rest.push(part);
  }
  return { people, rest };
}

function readPerson(part: string, phones: PhoneSettings): PhoneRow | null {
  const text = cleanText(part);
  const phone = text.match(NUMBER)?.find((number) => parsePhone(number, phones) !== null);
  return phone === undefined ? null : { phone, name: text.replace(phone, ' ').replaceAll(EDGES, '') };
}

/** Moves the people of the box to the list. What cannot be read, or has no room, stays in the box. */
export function withTypedPeople(form: PartyForm, phones: PhoneSettings): PartyForm {
  const isGood = ({ phone }: PhoneRow): boolean => parsePhone(phone, phones) !== null;
  const lineOf = ({ name, phone }: PhoneRow): string => `${name} ${phone}`.trim();
  const { people, rest } = readTypedPeople(form.typedPeople, phones);
  const listed = [...form.phones.filter(isGood), ...people];
  const bad = form.phones.filter((row) => !isGood(row));
  const kept = [...bad.map(lineOf), ...rest, ...listed.slice(MAX_ROWS).map(lineOf)];
  return { ...form, phones: listed.slice(0, MAX_ROWS), typedPeople: kept.join('\n') };
}

const MAX_NAMED_LINES = 3;
const MAX_LINE_LENGTH = 40;

/** The lines that could not be read, for an error: the first few, shortened. */
export function namedLines(typedPeople: string): string {
  const lines = typedPeople.split('\n');
  const shorten = (line: string): string =>
    line.length <= MAX_LINE_LENGTH ? line : `${[...line].slice(0, MAX_LINE_LENGTH - 1).join('')}…`;
  const named = lines.slice(0, MAX_NAMED_LINES).map((line) => `“${shorten(line)}”`);
  return [...named, ...(lines.length > MAX_NAMED_LINES ? ['…'] : [])].join(', ');
}
