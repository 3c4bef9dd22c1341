// The filters of a list are in the address, so that every list can be linked to, and Back undoes a filter.

import { useLocation } from 'preact-iso/router';
import { goTo } from '../shell/go-to.ts';

type Changes = Readonly<Record<string, string | undefined>>;

export interface AddressQuery {
  /** An absent filter is an empty text. */
  readonly get: (name: string) => string;
  /** The address with other filters. Every change of a filter begins at the first page again. */
  readonly hrefWith: (changes: Changes) => string;
  /** For what is typed: it replaces the address, and Back leaves the list. */
  readonly replace: (changes: Changes) => void;
  readonly isFiltered: boolean;
}

/** The page of the list, which is no filter. */
const PAGE = 'before';

export function useAddressQuery(): AddressQuery {
  const { path, query } = useLocation();
  const hrefFrom = (current: Readonly<Record<string, string>>, changes: Changes): string => {
    const { [PAGE]: _page, ...kept } = current;
    const all = Object.entries({ ...kept, ...changes }).filter(([, value]) => value !== undefined && value !== '');
    return all.length === 0 ? path : `${path}?${new URLSearchParams(all as [string, string][])}`;
  };
  return {
    get: (name) => query[name] ?? '',
    hrefWith: (changes) => hrefFrom(query, changes),
    // From the address of now, not from that of the last rendering: a field whose typing paused later must keep the others.
    replace: (changes) => goTo(hrefFrom(Object.fromEntries(new URLSearchParams(location.search)), changes), true),
    isFiltered: Object.keys(query).some((name) => name !== PAGE),
  };
}
