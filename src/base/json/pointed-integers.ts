// Finds whole numbers that a valid JSON text writes with a point or an exponent (24000.0, 2.4e4), also those that are whole
// only once they are rounded to a double. They are integers in JSON Schema, and accepted as such, but an amount of money is
// written in digits alone. Runs only when the scanner met one, and looks at members of objects alone.
// Guarantees: linear in the text; at most MAX_FOUND reports.

import type { BadText } from './escaped-text.ts';
import { nameAtOffset, type OutlineNode, outlineOf } from './outline.ts';
import { printablePointerTo } from './pointer.ts';

/**
 * A bound for hostile bodies; more are accepted as the integers that they are. A fleet of 100 boats with 20 rates each, all
 * of whose numbers have a point, is within it.
 */
const MAX_FOUND = 6_000;
const NUMBER = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

export function findPointedIntegers(text: string): BadText[] {
  const nodes = outlineOf(text);
  const found: BadText[] = [];
  const pointers = new Map<number, string>();
  for (const [index, node] of nodes.entries()) {
    if (!isPointedInteger(text, node)) continue;
    const offset = node.nameAt === -1 ? node.start : node.nameAt;
    found.push({ field: pointerTo(text, nodes, index, pointers), problem: 'pointed', offset });
    if (found.length === MAX_FOUND) break;
  }
  return found;
}

function isPointedInteger(text: string, { start, end, children, nameAt }: OutlineNode): boolean {
  // No list in any schema has amounts as its items.
  if (children > 0 || nameAt === -1) return false;
  const literal = text.slice(start, end);
  return /[.eE]/.test(literal) && NUMBER.test(literal) && Number.isInteger(Number(literal));
}

/** Each container's pointer is built once: siblings share it. */
function pointerTo(text: string, nodes: readonly OutlineNode[], index: number, known: Map<number, string>): string {
  const found = index === 0 ? '' : known.get(index);
  if (found !== undefined) return found;
  const node = nodes[index] as OutlineNode;
  const name = node.nameAt === -1 ? node.position : nameAtOffset(text, node.nameAt);
  const pointer = printablePointerTo(pointerTo(text, nodes, node.parent, known), name);
  if (node.children > 0) known.set(index, pointer);
  return pointer;
}
