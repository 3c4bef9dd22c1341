// Decides which objects of the provider's API a delivery names, and puts them into the queue of reads, in the transaction
// of the delivery. Each object is read at most once for each version.

import type { Queryable } from '../../../base/db.ts';
import { findByExternalIds } from '../../offerings/queries.ts';
import type { DueDelivery } from '../deliveries/queries.ts';
import { hashOf } from '../delivery-order.ts';
import { type BodyScope, itemScopes, readBody, textOf, valueAt } from '../mapping/body.ts';
import { areAllMet } from '../mapping/conditions.ts';
import { extractEvent } from '../mapping/event.ts';
import { versionOf } from '../mapping/interpret.ts';
import { mappingOf } from '../mapping/read-mappings.ts';
import { type HookContext, MAX_REASON_LENGTH, type Outcome, outcome } from '../upsert-from-hook.ts';
import { deleteWaits, type WantedRead, wantRead } from './read-queries.ts';
import type { ReadEntry } from './read-readers.ts';
import { makeReaderDue } from './reader-queries.ts';

/** Mews sends hundreds of events in one message. */
const MAX_READS_PER_DELIVERY = 500;
const MAX_VARIABLE_LENGTH = 200;

/** An object that can be read. */
export interface NamedObject {
  readonly readName: string;
  readonly variables: Readonly<Record<string, string>>;
  readonly version: bigint | null;
}

/** `unread`: the outcome if nothing is read. */
export async function requestReads(
  tx: Queryable,
  context: HookContext,
  delivery: DueDelivery,
  text: string,
  unread: Outcome,
): Promise<Outcome> {
  const reader = context.readers.get(delivery.provider);
  if (reader === undefined) return unread;
  const body = readBody(text);
  const { entry } = extractEvent(mappingOf(context.mappings, delivery.provider), body);
  const named = namedObjects(reader.reads, entry?.name ?? null, body);
  if (named.length === 0) {
    const isRead = reader.reads.some(({ events }) => events.includes(entry?.name ?? ''));
    return { ...unread, reason: `${unread.reason ?? ''} ${isRead ? WITHOUT_ID : NOT_READ}`.trim() };
  }
  if (named.length > MAX_READS_PER_DELIVERY)
    return outcome(
      'unmapped',
      `The delivery names ${named.length} objects; the most is ${MAX_READS_PER_DELIVERY}. Read the whole catalogue with POST /v1/integrations/{id}/sync.`,
      null,
    );
  await deleteWaits(tx, delivery.venue_id, delivery.id);
  if (!(await makeReaderDue(tx, delivery.venue_id, delivery.integration_id, context.now)))
    return { ...unread, reason: `${unread.reason ?? ''} ${SET_CREDENTIALS}`.trim() };
  let wanted = 0;
  for (const object of named) if (await wantRead(tx, wantedRead(context, delivery, object), delivery.id)) wanted += 1;
  return wanted > 0 ? outcome('reading', null, null) : outcome('superseded', ALREADY_READ, null);
}

/**
 * A delivery that needs no read can name other objects, such as the second service of a booking: those whose offering the
 * venue does not have are read. The delivery keeps its outcome and does not wait for them.
 */
export async function requestUnknown(
  tx: Queryable,
  context: HookContext,
  delivery: DueDelivery,
  text: string,
  result: Outcome,
): Promise<Outcome> {
  const reads = context.readers.get(delivery.provider)?.reads.filter(({ offering }) => offering !== undefined) ?? [];
  if (reads.length === 0) return result;
  const body = readBody(text);
  const { entry } = extractEvent(mappingOf(context.mappings, delivery.provider), body);
  const named = namedObjects(reads, entry?.name ?? null, body).slice(0, MAX_READS_PER_DELIVERY);
  const idOf = ({ readName, variables }: NamedObject): string =>
    variables[reads.find(({ name }) => name === readName)?.offering ?? ''] ?? '';
  const known = await findByExternalIds(tx, context.venue.id, context.mode, named.map(idOf));
  const unknown = named.filter((object) => !known.has(idOf(object)));
  if (unknown.length === 0) return result;
  if (!(await makeReaderDue(tx, delivery.venue_id, delivery.integration_id, context.now))) return result;
  const wanted: string[] = [];
  for (const object of unknown)
    if (await wantRead(tx, wantedRead(context, delivery, object), null)) wanted.push(`"${idOf(object)}"`);
  if (wanted.length === 0) return result;
  const note = `The venue has no offering ${wanted.join(' and ')}: the server reads what the delivery names beside it.`;
  return { ...result, reason: `${result.reason ?? ''} ${note}`.trim().slice(0, MAX_REASON_LENGTH) };
}

const wantedRead = ({ now }: HookContext, delivery: DueDelivery, object: NamedObject): WantedRead => ({
  venueId: delivery.venue_id,
  integrationId: delivery.integration_id,
  hash: hashOfObject(object),
  readName: object.readName,
  variables: object.variables,
  version: object.version,
  receivedAt: delivery.is_repeated ? null : delivery.received_at,
  now,
});

const NOT_READ = 'The server does not read this from the API of the venue system.';
const WITHOUT_ID = 'It does not have the id by which the server would read it from the API of the venue system.';
const SET_CREDENTIALS = 'Set credentials for this integration, and the server reads the object.';
const ALREADY_READ = 'This version of the object, or a newer one, was read before.';

export const hashOfObject = ({ readName, variables }: Pick<NamedObject, 'readName' | 'variables'>): Buffer =>
  hashOf(JSON.stringify([readName, ...Object.entries(variables).flat()]));

/** How a person would name the object. */
export const nameOfObject = (readName: string, variables: Readonly<Record<string, string>>): string =>
  [readName, ...Object.values(variables)].join(' ').slice(0, 300);

/** Each object once, by the first entry that fits. */
function namedObjects(reads: readonly ReadEntry[], event: string | null, body: unknown): NamedObject[] {
  const found = new Map<string, NamedObject>();
  const taken = new Set<unknown>();
  for (const read of reads.filter(({ events }) => event !== null && events.includes(event))) {
    const whole: BodyScope = { root: body, bound: [] };
    for (const scope of read.each === undefined ? [whole] : itemScopes(whole, read.each)) {
      const item = scope.bound.at(-1)?.value ?? body;
      const variables = areAllMet(read.where, scope) && !taken.has(item) ? variablesAt(read.variables, scope) : null;
      if (variables === null) continue;
      taken.add(item);
      const version =
        read.version === undefined ? null : versionOf(textOf(valueAt(scope, read.version)), read.version_as);
      const object = { readName: read.name, variables, version };
      found.set(hashOfObject(object).toString('hex'), object);
    }
  }
  return [...found.values()];
}

/** Null: one of the ids is missing, or is not what the API takes. */
export function variablesAt(
  entries: ReadEntry['variables'],
  scope: BodyScope,
): Readonly<Record<string, string>> | null {
  const variables: Record<string, string> = {};
  for (const [name, { path, matches }] of Object.entries(entries)) {
    const text = textOf(valueAt(scope, path));
    const value = text === null || matches === undefined ? text : (new RegExp(matches).exec(text)?.[1] ?? null);
    if (value === null || value.length > MAX_VARIABLE_LENGTH) return null;
    variables[name] = value;
  }
  return variables;
}
