// The filters in the address as the query of the list. What is typed wrong is no filter.

import type { AddressQuery } from '../../client/address-query.ts';
import type { ListConsoleCheckoutsParams } from '../../client/operations.gen.ts';
import { parseMoney } from '../../ui/format.ts';

export const STATUSES = ['open', 'collecting', 'funded', 'completed', 'expired', 'canceled'] as const;
type Status = (typeof STATUSES)[number];

export const isStatus = (text: string): text is Status => (STATUSES as readonly string[]).includes(text);

const DAY_MS = 24 * 3_600_000;

export function listQuery(address: AddressQuery): ListConsoleCheckoutsParams {
  const status = address.get('status');
  const days = Number(address.get('days'));
  const [min, max] = ['min', 'max'].map((name) => parseMoney(address.get(name), 'usd'));
  const texts = ['q', 'offering', 'key', 'before'].flatMap((name) => {
    const value = address.get(name).trim();
    return value === '' ? [] : [[name, value]];
  });
  return {
    ...Object.fromEntries(texts),
    ...(isStatus(status) ? { status } : {}),
    ...(days > 0 ? { from: startOfDay(days) } : {}),
    ...(min == null ? {} : { min_amount: min }),
    ...(max == null ? {} : { max_amount: max }),
    ...(address.get('sort') === 'due' ? { sort: 'due' } : {}),
  };
}

/** Whole hours, so that the address of the call stays the same while a page is read. */
function startOfDay(days: number): string {
  const from = new Date(Date.now() - days * DAY_MS);
  from.setUTCMinutes(0, 0, 0);
  return from.toISOString();
}
