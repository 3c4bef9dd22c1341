// Finds the known name that a misspelt one probably means: at most a third of its letters changed, swapped, added or left
// out (Damerau-Levenshtein), so that "start_at" gives "starts_at" and "foo" gives nothing.

export function nearestName(name: string, known: readonly string[]): string | null {
  if (name.length > 60) return null;
  const plain = letters(name);
  let best: string | null = null;
  let shortest = Math.max(1, Math.floor(name.length / 3)) + 1;
  for (const candidate of known) {
    const other = letters(candidate);
    if (other === plain) return candidate;
    const far = distance(plain, other);
    if (far < shortest) {
      shortest = far;
      best = candidate;
    }
  }
  return best;
}

function letters(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
}

function distance(a: string, b: string): number {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      let value = Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + cost);
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (swapped) value = Math.min(value, (before[j - 2] ?? 0) + 1);
      next.push(value);
    }
    before = row;
    row = next;
  }
  return row[b.length] ?? 0;
}
