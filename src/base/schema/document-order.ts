// Sorts problems in document order: that of the members in the request body, a missing member after the present ones of
// its object. Linear in the value's members and in the problems.

import type { JsonValue } from '../json/parse.ts';
import { printable, splitPointer } from '../json/pointer.ts';
import { positionsOf } from '../json/positions.ts';

interface Located {
  readonly field: string;
}

/** The problems at one pointer, and below it. */
interface PointerNode<P> {
  readonly problems: P[];
  readonly children: Map<string, PointerNode<P>>;
}

/**
 * JavaScript moves names such as "12" to the front of an object, so their order is read from the text. In a longer text
 * such names are listed in numeric order: to find their places would take longer than to validate the body.
 */
const MAX_TEXT_LENGTH = 65_536;

export function inDocumentOrder<P extends Located>(problems: readonly P[], value: JsonValue, text: string | null): P[] {
  if (problems.length <= 1) return [...problems];
  if (text !== null && text.length <= MAX_TEXT_LENGTH && problems.some(({ field }) => hasIntegerName(value, field)))
    return byPosition(problems, text);
  const root: PointerNode<P> = { problems: [], children: new Map() };
  for (const problem of problems) {
    let node = root;
    for (const token of splitPointer(problem.field)) {
      let child = node.children.get(token);
      if (child === undefined) {
        child = { problems: [], children: new Map() };
        node.children.set(token, child);
      }
      node = child;
    }
    node.problems.push(problem);
  }
  const sorted: P[] = [];
  collect(root, value, sorted);
  return sorted;
}

function collect<P>({ problems, children }: PointerNode<P>, value: JsonValue | undefined, sorted: P[]): void {
  sorted.push(...problems);
  if (children.size === 0) return;
  const missing = new Map(children);
  for (const [token, member] of presentMembers(value, children)) {
    const node = missing.get(token);
    if (node === undefined) continue;
    missing.delete(token);
    collect(node, member, sorted);
  }
  for (const node of missing.values()) collect(node, undefined, sorted);
}

/** The members of a value that have problems, in their order; the token is the name as it is printed. */
function* presentMembers(
  value: JsonValue | undefined,
  wanted: ReadonlyMap<string, unknown>,
): Generator<[token: string, member: JsonValue | undefined]> {
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    const indexes = [...wanted.keys()].map(Number).filter((index) => index < value.length);
    for (const index of indexes.sort((a, b) => a - b)) yield [String(index), value[index]];
    return;
  }
  const hasUnprintable = [...wanted.keys()].some((token) => token.includes('\ufffd'));
  let left = wanted.size;
  for (const name of Object.keys(value)) {
    const token = wanted.has(name) || !hasUnprintable ? name : printable(name);
    if (!wanted.has(token)) continue;
    yield [token, value[name]];
    left--;
    if (left === 0) return;
  }
}

const INTEGER = /^\d+$/;

/** Whether the pointer leads through a member of an object with a name such as "12". */
function hasIntegerName(root: JsonValue, pointer: string): boolean {
  let value: JsonValue | undefined = root;
  for (const token of splitPointer(pointer)) {
    if (typeof value !== 'object' || value === null) return false;
    if (Array.isArray(value)) value = value[Number(token)];
    else if (INTEGER.test(token)) return true;
    else value = Object.hasOwn(value, token) ? value[token] : undefined;
  }
  return false;
}

function byPosition<P extends Located>(problems: readonly P[], text: string): P[] {
  const positions = positionsOf(text);
  const position = ({ field }: P): number => {
    const own = positions.startOf(field);
    if (own !== undefined) return own;
    // A missing member is sorted after the present ones: at the end of its object.
    for (let cut = field.lastIndexOf('/'); cut >= 0; cut = field.lastIndexOf('/', cut - 1)) {
      const end = positions.endOf(field.slice(0, cut));
      if (end !== undefined) return end;
    }
    return Number.MAX_SAFE_INTEGER;
  };
  return problems
    .map((problem, index) => ({ problem, index, position: position(problem) }))
    .sort((a, b) => a.position - b.position || a.index - b.index)
    .map(({ problem }) => problem);
}
