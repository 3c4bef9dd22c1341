// Strict JSON of which only a few places are needed: judged as parse.ts judges it, in the same pass over the bytes, but with
// no value built for the rest. Guarantees: what parse.ts refuses is refused here in the same words, and a place that is
// named has the value that it would have there, but for a number that no double holds exactly: that is the text that came,
// so that two ids never become one. A list or an object at a place is shown as there and not empty, no more.

import { type JsonValue, type Refusal, readStrictly } from './parse.ts';
import { type FoundPath, PathTree } from './path-tree.ts';

export type ExtractPaths = { readonly ok: true; readonly seen: JsonValue } | Refusal;

const OPEN_OBJECT = 0x7b;
const OPEN_ARRAY = 0x5b;
const SPACE = 0x20;
/** The name of a member that stands for all that was not looked at. */
const MORE = '…';

/** Looks at places such as `booking.status`; made once, for many bodies. */
export function makeExtractPaths(paths: readonly string[]): (bytes: Buffer) => ExtractPaths {
  const watched = PathTree.from(paths);
  return (bytes) => {
    const read = readStrictly(bytes, watched);
    return read.ok ? { ok: true, seen: skeleton(bytes, read.scanner.places) } : read;
  };
}

/** Places come after those inside of them. */
function skeleton(bytes: Buffer, places: readonly FoundPath[]): JsonValue {
  const inside = new Map<PathTree, { [name: string]: JsonValue }>();
  let whole: JsonValue = null;
  for (const { watched, start, end } of places) {
    const value = inside.get(watched) ?? outline(bytes, start, end);
    const { parent } = watched;
    if (parent === null) {
      whole = value;
      continue;
    }
    const members = inside.get(parent) ?? Object.create(null);
    members[watched.name] = value;
    inside.set(parent, members);
  }
  return whole;
}

function outline(bytes: Buffer, start: number, end: number): JsonValue {
  const first = bytes[start];
  if (first !== OPEN_OBJECT && first !== OPEN_ARRAY) {
    const text = bytes.toString('utf8', start, end);
    const value = JSON.parse(text) as JsonValue;
    if (typeof value !== 'number') return value;
    return Math.abs(value) > Number.MAX_SAFE_INTEGER ? text.trim() : value + 0;
  }
  let at = start + 1;
  while ((bytes[at] as number) <= SPACE) at += 1;
  const isEmpty = at === end - 1;
  if (first === OPEN_ARRAY) return isEmpty ? [] : [MORE];
  return isEmpty ? {} : { [MORE]: true };
}
