// The parameters of a path by its pattern: `/checkouts/:id`.

type Params = Readonly<Record<string, string>>;

/** Null: the path is another one. */
export function matchOf(pattern: string, screen: string): Params | null {
  const [names, values] = [pattern.split('/').filter(Boolean), screen.split('/').filter(Boolean)];
  if (names.length !== values.length) return null;
  const params: Record<string, string> = {};
  for (const [i, name] of names.entries()) {
    const value = values[i] ?? '';
    if (!name.startsWith(':')) {
      if (name !== value) return null;
      continue;
    }
    try {
      params[name.slice(1)] = decodeURIComponent(value);
    } catch {
      return null; // Wrong percent-encoding names no object.
    }
  }
  return params;
}
