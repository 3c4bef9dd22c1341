// The slow second pass over a valid JSON text with escapes: finds member names that are equal only after unescaping, NUL and
// lone surrogates. Runs only when the scanner met such an escape.
// Guarantees: linear in the text; at most MAX_BAD_TEXTS reports. It does not check the grammar.

import type { JsonValue } from './json-value.ts';
import { nameAtOffset, type OutlineNode, outlineOf, stringFrom } from './outline.ts';
import { type PrintedPointer, printedMember } from './pointer.ts';

/**
 * A string value or member name that no database column can hold; or a whole number written with a point or an exponent
 * (`pointed`), which is refused where the schema has an amount of money, and accepted elsewhere.
 */
export interface BadText {
  /** JSON pointer of the value or member, itself safe to print. */
  readonly field: string;
  readonly problem: 'nul' | 'lone_surrogate' | 'pointed';
  /** It is the name of the member that cannot be stored. */
  readonly isName?: true;
  /** Where the field starts in the text, counted as positionsOf(text).startOf does; absent: there was no text. */
  readonly offset?: number;
}

/** A bound: a hostile body could otherwise cause a hundred thousand reports. */
const MAX_BAD_TEXTS = 100;

const ROOT: PrintedPointer = { pointer: '', isCut: false };

const QUOTE = 0x22;
const PROBLEM = /\0|\p{Surrogate}/u;

/** The first member whose unescaped name is a duplicate in its object; the offset is that of the name in the text. */
export function findDuplicateName(
  text: string,
  nodes: readonly OutlineNode[],
): { readonly name: string; readonly offset: number } | undefined {
  const namesIn = new Map<number, Set<string>>();
  for (const node of nodes) {
    if (node.nameAt === -1 || nodes[node.parent]?.children === 1) continue;
    const name = nameAtOffset(text, node.nameAt);
    let names = namesIn.get(node.parent);
    if (names === undefined) {
      names = new Set();
      namesIn.set(node.parent, names);
    }
    // The quote in front keeps "123" from being hashed as an array index, which V8 does without a seed.
    names.add(`"${name}`);
    if (names.size === node.position) return { name, offset: node.nameAt };
  }
  return undefined;
}

/** The first MAX_BAD_TEXTS fields with bad text, in document order; one report for each field. */
export function findBadTexts(text: string): BadText[] {
  const nodes = outlineOf(text);
  const containers = new Map<number, PrintedPointer>();
  const found: BadText[] = [];
  for (const [index, node] of nodes.entries()) {
    const name = node.nameAt === -1 ? undefined : nameAtOffset(text, node.nameAt);
    const inName = problemIn(name);
    const problem = inName ?? problemIn(stringOf(text, node));
    if (node.children === 0 && problem === undefined) continue;
    const printed = index === 0 ? ROOT : printedMember(containers.get(node.parent) ?? ROOT, name ?? node.position);
    if (node.children > 0) containers.set(index, printed);
    if (problem === undefined) continue;
    const offset = node.nameAt === -1 ? node.start : node.nameAt;
    found.push({ field: printed.pointer, problem, ...(inName === undefined ? {} : { isName: true }), offset });
    if (found.length === MAX_BAD_TEXTS) break;
  }
  return found;
}

/** The same for a value that did not come as JSON text: the fields of a form, or the arguments of a tool. */
export function findBadTextsIn(value: JsonValue): BadText[] {
  const found: BadText[] = [];
  const visit = (part: JsonValue, printed: PrintedPointer, name: string | undefined): void => {
    if (found.length === MAX_BAD_TEXTS) return;
    const inName = problemIn(name);
    const problem = inName ?? problemIn(typeof part === 'string' ? part : undefined);
    if (problem !== undefined)
      found.push({ field: printed.pointer, problem, ...(inName === undefined ? {} : { isName: true }) });
    if (typeof part !== 'object' || part === null) return;
    for (const [key, member] of Object.entries(part))
      visit(member, printedMember(printed, key), Array.isArray(part) ? undefined : key);
  };
  visit(value, ROOT, undefined);
  return found;
}

function stringOf(text: string, node: OutlineNode): string | undefined {
  return text.charCodeAt(node.start) === QUOTE ? stringFrom(text, node.start, node.end) : undefined;
}

function problemIn(text: string | undefined): BadText['problem'] | undefined {
  const found = text === undefined ? null : PROBLEM.exec(text);
  if (found === null) return undefined;
  return found[0] === '\0' ? 'nul' : 'lone_surrogate';
}
