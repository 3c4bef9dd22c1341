// The rule that external ids differ within one list (tiers, slots, a batch of offerings). It reports each repeated id,
// and ignores ids that the schema refuses. A suggested id is well formed and not in the list.

import { below, items, member } from './json-walk.ts';
import type { Report } from './rule.ts';
import { quoted } from './wording.ts';

const MAX_LENGTH = 128;
const WELL_FORMED = /^\S{1,128}$/u;
const MAX_ATTEMPTS = 100;

function freeId(id: string, place: number, used: Set<string>, counter: { next: number }): string {
  const letters = Array.from(id);
  for (let number = place; number < place + MAX_ATTEMPTS; number += 1) {
    const suffix = `-${number}`;
    const candidate = letters.slice(0, MAX_LENGTH - suffix.length).join('') + suffix;
    if (!used.has(candidate)) {
      used.add(candidate);
      return candidate;
    }
  }
  // The list takes up the numbers on purpose. The counter only rises, so that the search over the whole list is linear.
  while (used.has(`id-${counter.next}`)) counter.next += 1;
  return `id-${counter.next++}`;
}

/** Reports each `external_id` of `list` that an earlier entry has; `noun` names an entry in messages. */
export function uniqueExternalIds(list: unknown, at: string, report: Report, noun: string): void {
  const ids = items(list).map((item) => member(item, 'external_id'));
  const used = new Set(ids.filter((id) => typeof id === 'string'));
  const seen = new Map<string, number>();
  const counter = { next: 1 };
  ids.forEach((id, index) => {
    if (typeof id !== 'string' || !WELL_FORMED.test(id)) return;
    const first = seen.get(id);
    if (first === undefined) {
      seen.set(id, index);
      return;
    }
    report({
      code: 'not_unique',
      field: below(at, index, 'external_id'),
      message: `Each ${noun} needs its own external_id, and ${below(at, first)} already has ${quoted(id)}. Send another one.`,
      expected: `an external_id that no other ${noun} here has`,
      example_fix: freeId(id, index + 1, used, counter),
    });
  });
}
