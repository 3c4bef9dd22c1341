// Checkouts in the palette: by booking id, words, or the organizer's name.

import { hrefOf, place } from '../../session.ts';
import { addFinder } from '../../shell/palette.tsx';
import { money } from '../../ui/format.ts';
import { wordOf } from '../../ui/states.tsx';

const MAX_HITS = 6;

export function addCheckoutFinder(): void {
  addFinder(async (text, signal) => {
    const client = place.peek()?.client;
    if (client === undefined) return [];
    const { data } = await client.console.listConsoleCheckouts({ q: text.slice(0, 100), limit: MAX_HITS }, { signal });
    return data.map(({ id, description, status, amount, currency, external_booking_id }) => ({
      group: 'Checkouts',
      icon: 'receipt' as const,
      title: description,
      detail: `${external_booking_id} · ${money(amount, currency)} · ${wordOf('checkout', status)}`,
      href: hrefOf(`/checkouts/${id}`),
    }));
  });
}
