// The address of the database of Medusa 2, and the requests to its store API.

import { requestText } from '../load.ts';

const PATH = '/store/carts';

export interface CartContent {
  readonly regionId: string;
  /** Null: the cart is empty. */
  readonly variantId: string | null;
}

/** The metadata are those of the checkouts that our side creates. */
export function createCartRequest(key: string, { regionId, variantId }: CartContent): string {
  const body = JSON.stringify({
    region_id: regionId,
    ...(variantId === null ? {} : { items: [{ variant_id: variantId, quantity: 1 }] }),
    metadata: { booking: 'booking-000000001', table: '12', source: 'website' },
  });
  return requestText('POST', PATH, { ...headers(key), 'content-type': 'application/json' }, body);
}

export function readCartRequest(key: string, id: string): string {
  return requestText('GET', `${PATH}/${id}`, headers(key));
}

const headers = (key: string) => ({ 'x-publishable-api-key': key, accept: 'application/json' });

/** Another database at the same address. Medusa reads the folder of a socket from the host alone, not from a parameter. */
export function databaseAddress(url: string, database: string): string {
  const address = new URL(url);
  const folder = address.searchParams.get('host');
  address.searchParams.delete('host');
  address.pathname = `/${database}`;
  return folder === null ? address.href : address.href.replace('@localhost', `@${encodeURIComponent(folder)}`);
}
