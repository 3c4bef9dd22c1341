// Identifies the event of a delivery by its provider's mapping: its entry, its type, its id, and how long a repetition
// is a duplicate. Pure; used when a delivery is received (to store it once) and when it is applied.

import type { Mapping } from '../../../../schemas/types.gen.ts';
import { type BodyScope, textOf, valueAt } from './body.ts';
import { holds } from './conditions.ts';

export type EventEntry = Mapping['events'][number];

export interface ExtractedEvent {
  /** The mapping's entry; null: the mapping has none for this event. */
  readonly entry: EventEntry | null;
  /** The provider's name of the event. */
  readonly type: string | null;
  /** The provider's id of the event. */
  readonly id: string | null;
  /** The id of the venue in the provider's system; null: the body has none. */
  readonly account: string | null;
  /** How long a body with the same bytes is a duplicate; null: duplicates are found by id, without a time limit. */
  readonly dedupWindowSeconds: number | null;
}

const DAY_SECONDS = 86_400;
/** Two real changes can send identical pings, so only a prompt repetition is a duplicate. */
const PING_SECONDS = 10;

export function extractEvent(mapping: Mapping, body: unknown): ExtractedEvent {
  const whole: BodyScope = { root: body, bound: [] };
  const entry =
    mapping.events.find((candidate) => candidate.match.every((condition) => holds(condition, whole))) ?? null;
  const scope = eventScope(whole, entry);
  const type = mapping.event.type === null ? null : textOf(valueAt(whole, mapping.event.type));
  const idParts = mapping.event.id.map((path) => textOf(valueAt(scope, path)));
  const id = idParts.length === 0 || idParts.includes(null) ? null : idParts.join(':');
  const isPing = entry?.id_only === true || (entry === null && mapping.dedupe === 'refresh_only');
  const account = mapping.event.account === undefined ? null : textOf(valueAt(whole, mapping.event.account));
  return { entry, type, id, account, dedupWindowSeconds: id !== null ? null : isPing ? PING_SECONDS : DAY_SECONDS };
}

/** The paths that identify the event of a body. */
export function eventPaths({ event, events }: Mapping): string[] {
  const ids = (within: string): string[] =>
    event.id.flatMap((path) => path.split('|').map((alternative) => `${within}${alternative}`));
  return [
    ...(event.type === null ? [] : [event.type]),
    ...(event.account === undefined ? [] : event.account.split('|')),
    ...ids(''),
    ...events.flatMap(({ match, within }) => [
      ...match.map(({ path }) => path),
      ...(within === undefined ? [] : ids(`${within}.`)),
    ]),
  ];
}

/** The part of the body that holds the event's object. */
export function eventScope(whole: BodyScope, entry: EventEntry | null): BodyScope {
  return entry?.within === undefined ? whole : { root: valueAt(whole, entry.within), bound: [] };
}
