// The position in the text of the value that a JSON pointer names, so that errors can be sorted in document order even for
// integer-like member names, which JavaScript reorders. For use after a failed validation only.
// Guarantees: linear in the text and in the pointers asked for. The text must already be known to be valid JSON.

import { nameAtOffset, type OutlineNode, outlineOf } from './outline.ts';
import { printable, splitPointer } from './pointer.ts';

/** Offsets count UTF-16 code units of the text. The pointer '' is the root. */
export interface Positions {
  /** Offset of the member's name (its opening quote), or of the value itself for array elements and the root. */
  startOf(pointer: string): number | undefined;
  /** Offset just after the value's last character. */
  endOf(pointer: string): number | undefined;
}

/** Keyed by the token behind a slash: a bare "123" would be hashed as an array index, which V8 does without a seed. */
type Children = ReadonlyMap<string, number>;

export function positionsOf(text: string): Positions {
  let nodes: readonly OutlineNode[] | undefined;
  const known = new Map<number, Children>();

  const find = (pointer: string): OutlineNode | undefined => {
    if (pointer !== '' && !pointer.startsWith('/')) return undefined;
    nodes ??= outlineOf(text);
    let index = 0;
    for (const token of splitPointer(pointer)) {
      let children = known.get(index);
      if (children === undefined) {
        children = childrenOf(text, nodes, index);
        known.set(index, children);
      }
      const child = children.get(`/${token}`);
      if (child === undefined) return undefined;
      index = child;
    }
    return nodes[index];
  };

  return {
    startOf(pointer) {
      const node = find(pointer);
      if (node === undefined) return undefined;
      return node.nameAt === -1 ? node.start : node.nameAt;
    },
    endOf: (pointer) => find(pointer)?.end,
  };
}

/** The nodes directly inside one container, by token; names that cannot be printed also by their printable form. */
function childrenOf(text: string, nodes: readonly OutlineNode[], index: number): Children {
  const children = new Map<string, number>();
  const unprintable: [string, number][] = [];
  const last = nodes[index]?.next ?? 0;
  let child = index + 1;
  while (child < last) {
    const node = nodes[child] as OutlineNode;
    const token = node.nameAt === -1 ? String(node.position) : nameAtOffset(text, node.nameAt);
    const shown = printable(token);
    children.set(`/${token}`, child);
    if (shown !== token) unprintable.push([`/${shown}`, child]);
    child = node.next;
  }
  for (const [shown, place] of unprintable) if (!children.has(shown)) children.set(shown, place);
  return children;
}
