// Which values of a JSON document may be the guest's. In our own objects (events, stored answers) the fields are known, so
// only free text and the guest's own name are changed: a guest named "Test" must not change a mode. In what others wrote
// (deliveries of venue systems, failed requests) every text may be, except those that programs read.

import { type JsonPath, parseJson, rewriteJson } from './rewrite-json.ts';
import { type Identifiers, makeScrub, type Scrub, scrubUrl } from './scrub-text.ts';

/** What finds the guest in a document. */
export interface GuestMarks {
  readonly identifiers: Identifiers;
  /** Of the guest's members and shares: an object with such an id has the guest's name. */
  readonly ownIds: readonly string[];
  /** Also of the guest's checkouts, and the venue's own ids of them: a document that has one is about the guest. */
  readonly linkedIds: readonly string[];
}

export interface Scrubs {
  /** Texts about the guest: everything. */
  readonly all: Scrub;
  /** Texts that may be about others: phone and mail addresses, which no one else has. */
  readonly contacts: Scrub;
  /** Names of two words and more as well. */
  readonly contactsAndFullNames: Scrub;
}

export function makeScrubs(identifiers: Identifiers): Scrubs {
  const fullNames = identifiers.names.filter((name) => /\S\s+\S/.test(name));
  return {
    all: makeScrub(identifiers),
    contacts: makeScrub({ ...identifiers, names: [] }, { isStrict: true }),
    contactsAndFullNames: makeScrub({ ...identifiers, names: fullNames }, { isStrict: true }),
  };
}

const FREE_TEXT = new Set(['description', 'location']);
const URLS = new Set(['return_url', 'cancel_url']);
/** Values that programs compare. */
const FIXED =
  /^(id|object|status|state|mode|type|kind|event|event_type|action|topic|currency|locale|language|timezone)$|(_id|Id|_at|_url|_type|_status)$/;
const PHONE = /phone|mobile|cell|tel/i;
const MIN_LINK_LENGTH = 4;

/** An object of ours that is about the guest: a checkout in an event or in a stored answer. */
export function scrubOwnJson(json: string, { identifiers, ownIds }: GuestMarks): string {
  const parsed = parseJson(json);
  if (parsed === null) return json;
  const { all, contacts } = makeScrubs(identifiers);
  const names = pathsOfOwnNames(parsed.value, new Set(ownIds));
  return rewriteJson(json, (text, path) => {
    const key = path.findLast((each) => typeof each === 'string') ?? '';
    if (path.at(-1) === 'display_name') return names.has(JSON.stringify(path)) ? null : contacts(text);
    if (path.slice(0, -1).includes('metadata') || FREE_TEXT.has(key)) return all(text);
    if (key === 'reason' && path.at(-2) === 'refund') return all(text);
    if (URLS.has(key)) return scrubUrl(text, all);
    return FIXED.test(key) || key === 'url' ? text : contacts(text);
  });
}

/** A stored answer of any call: one that is not about the guest stays as it is. */
export function scrubAnswer(json: string, marks: GuestMarks): string {
  const isAboutThem = hasLink(json, marks.linkedIds) || makeScrubs(marks.identifiers).contacts(json) !== json;
  return isAboutThem ? scrubOwnJson(json, marks) : json;
}

/** A document that another program wrote. Text that is no JSON is scrubbed as it is. */
export function scrubOthersJson(text: string, marks: GuestMarks, isOfTheirVenue: boolean): string {
  const { all, contacts, contactsAndFullNames } = makeScrubs(marks.identifiers);
  const isLinked = contacts(text) !== text || hasLink(text, marks.linkedIds);
  const scrub = isLinked ? all : isOfTheirVenue ? contactsAndFullNames : contacts;
  return scrubDocument(text, { scrub, contacts });
}

/** A document that another program wrote about the guest. */
export function scrubTheirJson(text: string, { identifiers }: GuestMarks): string {
  const { all, contacts } = makeScrubs(identifiers);
  return scrubDocument(text, { scrub: all, contacts });
}

function scrubDocument(text: string, scrubs: { readonly scrub: Scrub; readonly contacts: Scrub }): string {
  const parsed = parseJson(text);
  if (typeof parsed?.value !== 'object' || parsed.value === null) return scrubs.scrub(text);
  return rewriteJson(text, (value, path) => scrubOthersValue(value, path, scrubs));
}

function scrubOthersValue(
  value: string,
  path: JsonPath,
  scrubs: { readonly scrub: Scrub; readonly contacts: Scrub },
): string {
  const key = String(path.findLast((each) => typeof each === 'string') ?? '');
  if (/^https?:\/\//i.test(value)) return scrubUrl(value, scrubs.scrub);
  // JSON inside a string: the body of a failed request.
  if (/^\s*[{[]/.test(value)) return scrubDocument(value, scrubs);
  if (FIXED.test(key)) return scrubs.contacts(value);
  if (/^-?\d+(\.\d+)?$/.test(value) && !PHONE.test(key)) return scrubs.contacts(value);
  return scrubs.scrub(value);
}

const hasLink = (text: string, ids: readonly string[]): boolean =>
  ids.some((id) => id.length >= MIN_LINK_LENGTH && (text.includes(`"${id}"`) || text.includes(`"${id}\\"`)));

/** Of objects with an id of the guest. Names of others with the same name stay. */
function pathsOfOwnNames(value: unknown, ownIds: ReadonlySet<string>, path: JsonPath = []): Set<string> {
  if (typeof value !== 'object' || value === null) return new Set();
  const own = value as { readonly id?: unknown; readonly member_id?: unknown; readonly user_id?: unknown };
  const isTheirs = [own.id, own.member_id, own.user_id].some((id) => typeof id === 'string' && ownIds.has(id));
  const below = Object.entries(value).flatMap(([key, item]) => [
    ...pathsOfOwnNames(item, ownIds, [...path, Array.isArray(value) ? Number(key) : key]),
  ]);
  return new Set([...below, ...(isTheirs ? [JSON.stringify([...path, 'display_name'])] : [])]);
}

/** The values of an object that the venue chose, such as metadata. */
export function scrubAllValues(json: string, scrub: Scrub): string {
  return parseJson(json) === null ? scrub(json) : rewriteJson(json, scrub);
}
