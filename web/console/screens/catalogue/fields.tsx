// The fields of the editor: what most offerings, events and boats have. Each reads and writes one place of the content, so
// that a problem of the API is shown at its field. Everything else is in the JSON below them.

import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { CatalogueItem } from '../../client/types.gen.ts';
import { SelectField, TextField } from '../../ui/controls.tsx';
import { atWallClock, money, onWallClock, parseMoney, zoneName } from '../../ui/format.ts';
import { OFFERING_KINDS } from './offering-kinds.ts';

export type Kind = CatalogueItem['kind'];
export type Content = Readonly<Record<string, unknown>>;
type Path = readonly (string | number)[];

interface CommonField {
  readonly label: string;
  readonly path: Path;
  readonly as: 'text' | 'long text' | 'address' | 'number' | 'time' | 'amount' | 'choice';
  /** Of a choice. */
  readonly choices?: readonly string[];
  readonly isOptional?: true;
}

const UNITS = ['per_person', 'per_group', 'per_hour', 'per_unit'];
const BOAT_TYPES = [
  'motor_yacht',
  'sport_yacht',
  'catamaran',
  'sailboat',
  'center_console',
  'pontoon',
  'jet_ski',
  'other',
];
const CAPTAINS = ['included', 'optional', 'required_extra', 'bareboat'];

const TITLE: CommonField = { label: 'Title', path: ['title'], as: 'text' };
const OWN_ID: CommonField = { label: 'Your id', path: ['external_id'], as: 'text' };
const DESCRIPTION: CommonField = {
  label: 'Description',
  path: ['description'],
  as: 'long text',
  isOptional: true,
};
const PRICE: readonly CommonField[] = [
  { label: 'Price', path: ['tiers', 0, 'amount'], as: 'amount' },
  { label: 'The price is', path: ['tiers', 0, 'unit'], as: 'choice', choices: UNITS },
];

const FIELDS: Readonly<Record<Kind, readonly CommonField[]>> = {
  offering: [
    TITLE,
    OWN_ID,
    { label: 'Kind', path: ['kind'], as: 'choice', choices: OFFERING_KINDS },
    ...PRICE,
    DESCRIPTION,
  ],
  event: [
    TITLE,
    { ...OWN_ID, isOptional: true },
    { label: 'Starts', path: ['starts_at'], as: 'time' },
    { label: 'Ends', path: ['ends_at'], as: 'time', isOptional: true },
    ...PRICE,
    { label: 'Places', path: ['capacity'], as: 'number', isOptional: true },
    DESCRIPTION,
  ],
  boat: [
    { label: 'Name', path: ['name'], as: 'text' },
    OWN_ID,
    { label: 'Type', path: ['type'], as: 'choice', choices: BOAT_TYPES },
    { label: 'Captain', path: ['captain'], as: 'choice', choices: CAPTAINS },
    { label: 'Length in feet', path: ['length_ft'], as: 'number' },
    { label: 'Guests', path: ['capacity'], as: 'number' },
    { label: 'City', path: ['location', 'city'], as: 'text' },
    { label: 'Price', path: ['pricing', 0, 'amount'], as: 'amount' },
    { label: 'Hours for this price', path: ['pricing', 0, 'duration_hours'], as: 'number' },
    { label: 'Address of a photo', path: ['photo_urls', 0], as: 'address' },
    DESCRIPTION,
  ],
};

const pointerOf = (path: Path): string => path.map((part) => `/${part}`).join('');
/** Where a problem has a field of its own. */
export const fieldPointers = (kind: Kind): readonly string[] => FIELDS[kind].map(({ path }) => pointerOf(path));

type Members = Readonly<Record<string | number, unknown>>;

function valueAt(content: unknown, path: Path): unknown {
  return path.reduce<unknown>((value, part) => (value as Members | null | undefined)?.[part], content);
}

/** A copy with another value at the path; undefined: without it. What is on the way is made where it is missing. */
function withValue(content: unknown, [part, ...rest]: Path, value: unknown): unknown {
  if (part === undefined) return value;
  const inner = withValue((content as Members | null | undefined)?.[part], rest, value);
  if (typeof part === 'number') {
    const list = Array.isArray(content) ? [...(content as readonly unknown[])] : [];
    if (inner === undefined) list.splice(part, 1);
    else list[part] = inner;
    return list;
  }
  const { [part]: _before, ...others } = (content ?? {}) as Record<string, unknown>;
  return inner === undefined ? others : { ...(content as object | null), [part]: inner };
}

interface Props {
  readonly kind: Kind;
  readonly content: Content;
  readonly isNew: boolean;
  readonly onChange: (content: Content) => void;
  readonly problemAt: (pointer: string) => string | null;
}

export function CommonFields({ kind, content, isNew, onChange, problemAt }: Props): JSX.Element {
  return (
    <div class="halves">
      {FIELDS[kind].map((field) => {
        const { path, label, isOptional = false } = field;
        const error = problemAt(pointerOf(path));
        const value = valueAt(content, path);
        const set = (next: unknown): void => onChange(withValue(content, path, next) as Content);
        const common = { label, error, isOptional };
        if (field.as === 'choice')
          return (
            <SelectField
              key={label}
              {...common}
              value={text(value)}
              choices={(field.choices ?? []).map((one) => ({ value: one, label: one.replaceAll('_', ' ') }))}
              onChange={set}
            />
          );
        if (field.as === 'amount' || field.as === 'number' || field.as === 'time')
          return (
            <TypedField key={label} {...common} as={formOf(field.as, content, path)} value={value} onChange={set} />
          );
        return (
          <TextField
            key={label}
            {...common}
            {...(field.as === 'long text' ? { rows: 3 } : {})}
            {...(field.as === 'address' ? { type: 'url', placeholder: 'https://' } : {})}
            {...(path[0] === 'external_id' ? { hint: isNew ? SAME_ID[kind] : OTHER_ID } : {})}
            value={text(value)}
            onInput={(next) => set(next === '' && isOptional ? undefined : next)}
          />
        );
      })}
    </div>
  );
}

const CHANGES = 'Sending the same id again changes what is there.';
const SAME_ID: Readonly<Record<Kind, string>> = {
  offering: CHANGES,
  boat: CHANGES,
  event: 'An event that was sent with the same id stays as it is.',
};
const OTHER_ID = 'Another id makes another one.';

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** How a value is typed: not every text is one. */
interface Form {
  readonly suffix: string;
  readonly type: 'text' | 'datetime-local';
  readonly example: string;
  /** Of a value that is not of this form: the empty text. */
  readonly write: (value: unknown) => string;
  /** Null: the text is no value. */
  readonly read: (text: string) => unknown;
}

function formOf(as: 'amount' | 'number' | 'time', content: Content, path: Path): Form {
  if (as === 'amount') {
    const currency = text(valueAt(content, [...path.slice(0, -1), 'currency'])) || 'usd';
    return {
      suffix: ` in ${currency.toUpperCase()}`,
      type: 'text',
      example: plainAmount(4800, currency),
      write: (value) => (typeof value === 'number' ? plainAmount(value, currency) : ''),
      read: (typed) => parseMoney(typed, currency),
    };
  }
  if (as === 'time')
    return {
      suffix: ` (${zoneName()})`,
      type: 'datetime-local',
      example: 'a day and a time',
      write: (value) => (Number.isNaN(Date.parse(text(value))) ? '' : onWallClock(text(value))),
      read: (typed) => (Number.isNaN(Date.parse(`${typed}Z`)) ? null : atWallClock(typed)),
    };
  return {
    suffix: '',
    type: 'text',
    example: '12',
    write: (value) => (typeof value === 'number' ? String(value) : ''),
    read: (typed) => (/^\s*\d+(\.\d+)?\s*$/.test(typed) ? Number(typed) : null),
  };
}

/** As a person types it, without the sign of the currency: `48.00`. */
const plainAmount = (amount: number, currency: string): string => money(amount, currency).replaceAll(/[^\d.]/g, '');

interface TypedProps {
  readonly label: string;
  readonly error: string | null;
  readonly isOptional: boolean;
  readonly as: Form;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
}

/** Keeps what is typed while it is no value, or another writing of the same: `4.` is 4, and a point more. */
function TypedField({ label, error, isOptional, as, value, onChange }: TypedProps): JSX.Element {
  const [typed, setTyped] = useState(as.write(value));
  const written = as.write(value);
  useEffect(() => {
    if (as.write(as.read(typed)) !== written) setTyped(written);
  }, [written]);
  const isWrong = typed.trim() !== '' && as.read(typed) === null;
  return (
    <TextField
      label={`${label}${as.suffix}`}
      type={as.type}
      {...(as.type === 'text' ? { inputMode: 'decimal' } : {})}
      isOptional={isOptional}
      value={typed}
      onInput={(next) => {
        setTyped(next);
        const read = as.read(next);
        if (read !== null) onChange(read);
        else if (next.trim() === '') onChange(undefined);
      }}
      error={isWrong ? `Such as ${as.example}.` : error}
    />
  );
}
