// The fields in which two versions of an object differ, by JSON pointer. Objects are compared member by member, lists place
// by place. Pure.

export interface Difference {
  readonly field: string;
  /** Added: only the later version has it. Removed: only the earlier one has it. */
  readonly change: 'changed' | 'added' | 'removed';
}

export function differencesBetween(earlier: unknown, later: unknown, limit: number): Difference[] {
  const found: Difference[] = [];
  compare(earlier, later, '', found, limit);
  return found;
}

function compare(earlier: unknown, later: unknown, field: string, found: Difference[], limit: number): void {
  if (found.length >= limit) return;
  const isNested = (isObject(earlier) && isObject(later)) || (Array.isArray(earlier) && Array.isArray(later));
  if (!isNested) {
    if (earlier !== later) found.push({ field, change: 'changed' });
    return;
  }
  const [one, other] = [earlier as Readonly<Record<string, unknown>>, later as Readonly<Record<string, unknown>>];
  for (const key of new Set([...Object.keys(one), ...Object.keys(other)])) {
    if (found.length >= limit) return;
    const at = `${field}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    if (!Object.hasOwn(other, key)) found.push({ field: at, change: 'removed' });
    else if (!Object.hasOwn(one, key)) found.push({ field: at, change: 'added' });
    else compare(one[key], other[key], at, found, limit);
  }
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
