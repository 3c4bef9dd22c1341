// Extracts a few paths from strict JSON in one pass over the bytes, without building the rest. Guarantees: what parse.ts
// refuses is refused here with the same message, and a path has the value that parse.ts would give it. One exception: a
// number that no double holds exactly stays text, so that two ids never become equal. A list or an object at a path is
// reported only as present and empty or not.

import { runSync } from '../yielding.ts';
import { type JsonValue, type Refusal, strictReadSteps } from './parse.ts';
import { type FoundPath, PathTree } from './path-tree.ts';

export type ExtractResult = { readonly ok: true; readonly value: JsonValue } | Refusal;

const OPEN_OBJECT = 0x7b;
const OPEN_ARRAY = 0x5b;
const SPACE = 0x20;
/** The name of a member that represents everything that was not read. */
const UNREAD = '…';

/** Reads paths such as `booking.status`; created once, used for many bodies. */
export function makePathExtractor(paths: readonly string[]): (bytes: Buffer) => ExtractResult {
  const tree = PathTree.from(paths);
  return (bytes) => {
    const read = runSync(strictReadSteps(bytes, tree));
    return read.ok ? { ok: true, value: buildValue(bytes, read.scanner.foundPaths) } : read;
  };
}

/** A path is listed after the paths inside it. */
function buildValue(bytes: Buffer, foundPaths: readonly FoundPath[]): JsonValue {
  const inside = new Map<PathTree, { [name: string]: JsonValue }>();
  let whole: JsonValue = null;
  for (const { node, start, end } of foundPaths) {
    const value = inside.get(node) ?? scalarOrPresence(bytes, start, end);
    const { parent } = node;
    if (parent === null) {
      whole = value;
      continue;
    }
    const members = inside.get(parent) ?? Object.create(null);
    members[node.name] = value;
    inside.set(parent, members);
  }
  return whole;
}

function scalarOrPresence(bytes: Buffer, start: number, end: number): JsonValue {
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
  if (first === OPEN_ARRAY) return isEmpty ? [] : [UNREAD];
  return isEmpty ? {} : { [UNREAD]: true };
}
