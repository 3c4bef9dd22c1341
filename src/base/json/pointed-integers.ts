// Finds whole numbers that a valid JSON text writes with a point or an exponent (24000.0, 2.4e4). They are integers in JSON
// Schema, and accepted as such, but an amount of money is written in digits alone. Runs only when the scanner met one.
// Guarantees: linear in the text; at most MAX_FOUND reports.

import type { BadText } from './escaped-text.ts';
import { nameAtOffset, type OutlineNode, outlineOf } from './outline.ts';
import { printablePointerTo } from './pointer.ts';

/** A bound for hostile bodies. More are accepted as the integers that they are. */
const MAX_FOUND = 1_000;
/** A longer number is out of the range of an amount in any form. */
const MAX_LITERAL = 40;
const NUMBER = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

export function findPointedIntegers(text: string): BadText[] {
  const nodes = outlineOf(text);
  const found: BadText[] = [];
  for (const [index, node] of nodes.entries()) {
    if (!isPointedInteger(text, node)) continue;
    const offset = node.nameAt === -1 ? node.start : node.nameAt;
    found.push({ field: pointerTo(text, nodes, index), problem: 'pointed', offset });
    if (found.length === MAX_FOUND) break;
  }
  return found;
}

function isPointedInteger(text: string, { start, end, children }: OutlineNode): boolean {
  if (children > 0 || end - start > MAX_LITERAL) return false;
  const literal = text.slice(start, end);
  return /[.eE]/.test(literal) && NUMBER.test(literal) && Number.isInteger(Number(literal));
}

function pointerTo(text: string, nodes: readonly OutlineNode[], index: number): string {
  const path: (string | number)[] = [];
  for (let at = index; at > 0; ) {
    const node = nodes[at] as OutlineNode;
    path.push(node.nameAt === -1 ? node.position : nameAtOffset(text, node.nameAt));
    at = node.parent;
  }
  return path.reduceRight<string>((pointer, token) => printablePointerTo(pointer, token), '');
}
