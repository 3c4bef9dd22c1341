// Identifies the event of a delivery by its provider's mapping: its entry, its type, its id, and how long a repetition
// is a duplicate. Pure; used when a delivery is received (to store it once) and when it is applied.

import type { Mapping } from '../../../../schemas/types.gen.ts';
import { type BodyScope, textOf, valueAt } from './body.ts';
import { isMet } from './conditions.ts';

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
  /** A second id of the venue, which a body without the first may have. */
  readonly accountAlias: string | null;
  /** How long a body with the same bytes is a duplicate; null: duplicates are found by id, without a time limit. */
  readonly dedupWindowSeconds: number | null;
  /** The body only names objects, without a version and without an id of the event. */
  readonly isPing: boolean;
}

/** For bodies that two real changes never send alike: they have a version, or change nothing. */
const DAY_SECONDS = 86_400;
/** A ping, or a state that comes back (7 places, closed, 7 again), can be sent alike by two real changes. */
const PROMPT_SECONDS = 10;

export function extractEvent(mapping: Mapping, body: unknown): ExtractedEvent {
  const whole: BodyScope = { root: body, bound: [] };
  const entry =
    mapping.events.find((candidate) => candidate.match.every((condition) => isMet(condition, whole))) ?? null;
  const scope = eventScope(whole, entry);
  const type = mapping.event.type === null ? null : textOf(valueAt(whole, mapping.event.type));
  const idParts = mapping.event.id.map((path) => textOf(valueAt(scope, path)));
  const id = idParts.length === 0 || idParts.includes(null) ? null : idParts.join(':');
  const textAt = (path: string | undefined): string | null =>
    path === undefined ? null : textOf(valueAt(whole, path));
  const isDistinct = entry === null ? mapping.dedupe !== 'refresh_only' : isDistinctByBody(mapping, entry, scope);
  const dedupWindowSeconds = id !== null ? null : isDistinct ? DAY_SECONDS : PROMPT_SECONDS;
  const isPing = id === null && !isDistinct && entry?.action === 'refresh';
  const account = textAt(mapping.event.account);
  return { entry, type, id, account, accountAlias: textAt(mapping.event.account_alias), dedupWindowSeconds, isPing };
}

/** Two deliveries of this event with the same body are the same delivery. */
function isDistinctByBody(mapping: Mapping, entry: EventEntry, scope: BodyScope): boolean {
  if (entry.action === 'ignore') return true;
  const version = versionPath(mapping, entry);
  return entry.id_only !== true && version !== undefined && textOf(valueAt(scope, version)) !== null;
}

function versionPath({ objects }: Mapping, entry: EventEntry): string | undefined {
  return objects.find(({ name }) => name === entry.object)?.order.version;
}

/** The paths that identify the event of a body. */
export function eventPaths(mapping: Mapping): string[] {
  const { event, events } = mapping;
  const inside = (within: string, path: string): string[] =>
    path.split('|').map((alternative) => `${within}${alternative}`);
  const ids = (within: string): string[] => event.id.flatMap((path) => inside(within, path));
  return [
    ...(event.type === null ? [] : [event.type]),
    ...[event.account, event.account_alias].flatMap((path) => path?.split('|') ?? []),
    ...ids(''),
    ...events.flatMap((entry) => {
      const within = entry.within === undefined ? '' : `${entry.within}.`;
      const version = versionPath(mapping, entry);
      return [
        ...entry.match.flatMap(({ path }) => path.split('|')),
        ...(within === '' ? [] : ids(within)),
        ...(version === undefined ? [] : inside(within, version)),
      ];
    }),
  ];
}

/** The part of the body that has the event's object. */
export function eventScope(whole: BodyScope, entry: EventEntry | null): BodyScope {
  return entry?.within === undefined ? whole : { root: valueAt(whole, entry.within), bound: [] };
}
