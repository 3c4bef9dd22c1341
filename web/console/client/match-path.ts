// What a path names: the venue, mode and screen of /console/v/<venue>/<mode>/<screen>, and the parameters of a screen by its
// pattern: `/checkouts/:id`.

const PLACE = /^\/console\/v\/([0-9a-f-]{36})\/(test|live)(\/.*)?$/;

/** Null: the path names no venue. */
export function venuePathOf(
  path: string,
): { readonly venueId: string; readonly mode: 'test' | 'live'; readonly screen: string } | null {
  const [whole, venueId = '', mode, screen = '/'] = PLACE.exec(path) ?? [];
  return whole === undefined ? null : { venueId, mode: mode === 'live' ? 'live' : 'test', screen };
}

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
