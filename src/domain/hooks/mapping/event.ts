// Which event a delivery is, by its provider's mapping: its name, its own id, what it does, and how a repeated one is known.
// Pure; used when it comes (to store it once) and when it is applied.

import type { Mapping } from '../../../../schemas/types.gen.ts';
import { isPresent, type Place, textOf, valueAt } from './body.ts';

export type EventEntry = Mapping['events'][number];

export interface ExtractedEvent {
  /** Null: the mapping does not know it. */
  readonly entry: EventEntry | null;
  /** The provider's own name of it. */
  readonly type: string | null;
  /** The provider's own id of it. */
  readonly id: string | null;
  /** How long a body of the same bytes is the same delivery; null: its id says so, for as long as we remember. */
  readonly duplicateWindowSeconds: number | null;
}

const DAY_SECONDS = 86_400;
/** Two real changes can be byte for byte the same ping: only a retry at once is a repetition. */
const PING_SECONDS = 10;

export function extractEvent(mapping: Mapping, body: unknown): ExtractedEvent {
  const whole: Place = { root: body, bound: [] };
  const entry = mapping.events.find((one) => one.match.every((condition) => matches(condition, whole))) ?? null;
  const place = within(whole, entry);
  const type = mapping.event.type === null ? null : textOf(valueAt(whole, mapping.event.type));
  const services = mapping.event.id.map((path) => textOf(valueAt(place, path)));
  const id = services.length === 0 || services.includes(null) ? null : services.join(':');
  const isPing = entry?.id_only === true || (entry === null && mapping.dedupe === 'refresh_only');
  return { entry, type, id, duplicateWindowSeconds: id !== null ? null : isPing ? PING_SECONDS : DAY_SECONDS };
}

/** The places of a body that say which event it is. */
export function eventPaths({ event, events }: Mapping): string[] {
  const ids = (within: string): string[] => event.id.map((path) => `${within}${path}`);
  return [
    ...(event.type === null ? [] : [event.type]),
    ...ids(''),
    ...events.flatMap(({ match, within }) => [
      ...match.map(({ path }) => path),
      ...(within === undefined ? [] : ids(`${within}.`)),
    ]),
  ];
}

/** The part of the body in which the event's object stands. */
export function within(whole: Place, entry: EventEntry | null): Place {
  return entry?.within === undefined ? whole : { root: valueAt(whole, entry.within), bound: [] };
}

function matches(condition: EventEntry['match'][number], place: Place): boolean {
  const value = valueAt(place, condition.path);
  if (condition.is === undefined && condition.begins === undefined) return isPresent(value);
  const text = textOf(value);
  if (text === null) return false;
  return condition.is?.includes(text) === true || (condition.begins !== undefined && text.startsWith(condition.begins));
}
