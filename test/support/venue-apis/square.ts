// Square's Catalog API, as its specification says (github.com/square/connect-api-specification, 5733f66, api.json): Bearer token, Square-Version, errors with category and code, cursors, and 429 with
// RATE_LIMITED.

import type { ApiAnswer, ApiRequest, VenueApi } from './venue-api.ts';

export const SQUARE_CREDENTIALS = { access_token: 'EAAAEPXz5pYk2Vq8rG1m0sQ' };
export const MERCHANT = 'MLSQUAREMERCHANT';

export interface SquareService {
  item: string;
  variation: string;
  name: string;
  version: number;
  /** Null: the price is set at the time of sale. */
  amount: number | null;
  isDeleted?: boolean;
  isArchived?: boolean;
  /** Not available for booking. */
  isClosed?: boolean;
}

const error = (status: number, category: string, code: string): ApiAnswer => ({
  status,
  body: { errors: [{ category, code, detail: 'See the reference.' }] },
});
export const SQUARE_RATE_LIMIT = error(429, 'RATE_LIMIT_ERROR', 'RATE_LIMITED');

const PAGE_SIZE = 2;

export class SquareApi implements VenueApi {
  readonly provider = 'square';
  services: SquareService[] = [];

  answer({ method, path, query, headers, body }: ApiRequest): ApiAnswer {
    if (headers.authorization !== `Bearer ${SQUARE_CREDENTIALS.access_token}`)
      return error(401, 'AUTHENTICATION_ERROR', 'UNAUTHORIZED');
    if (!/^\d{4}-\d\d-\d\d$/.test(String(headers['square-version'])))
      return error(400, 'INVALID_REQUEST_ERROR', 'INVALID_SQUARE_VERSION_FORMAT');
    if (method === 'GET' && path === '/merchants/me') return { status: 200, body: { merchant: { id: MERCHANT } } };
    if (method === 'POST' && path === '/catalog/search-catalog-items') return this.#page(body);
    const id = /^\/catalog\/object\/([^/]+)$/.exec(path)?.[1];
    const service = this.services.find(({ variation }) => variation === id);
    if (method !== 'GET' || service === undefined) return error(404, 'INVALID_REQUEST_ERROR', 'NOT_FOUND');
    const related = query.get('include_related_objects') === 'true' ? { related_objects: [itemOf(service)] } : {};
    return { status: 200, body: { object: variationOf(service), ...related } };
  }

  #page({ product_types: types, archived_state: state, cursor }: ApiRequest['body']): ApiAnswer {
    if (types?.[0] !== 'APPOINTMENTS_SERVICE') return { status: 200, body: {} };
    const from = Number(cursor ?? 0);
    const listed = this.services.filter(
      ({ isDeleted, isArchived }) =>
        isDeleted !== true && (state !== 'ARCHIVED_STATE_NOT_ARCHIVED' || isArchived !== true),
    );
    const items = listed.slice(from, from + PAGE_SIZE).map(itemOf);
    const next = from + PAGE_SIZE < listed.length ? { cursor: String(from + PAGE_SIZE) } : {};
    return { status: 200, body: { items, matched_variation_ids: listed.map(({ variation }) => variation), ...next } };
  }
}

function variationOf({ item, variation, version, amount, isDeleted = false, isClosed = false }: SquareService) {
  const price = amount === null ? {} : { price_money: { amount, currency: 'USD' } };
  const bookable = { available_for_booking: !isClosed };
  const pricing_type = amount === null ? 'VARIABLE_PRICING' : 'FIXED_PRICING';
  const data = { item_id: item, name: 'Regular', pricing_type, service_duration: 3_600_000, ...bookable, ...price };
  return { type: 'ITEM_VARIATION', id: variation, version, is_deleted: isDeleted, item_variation_data: data };
}

function itemOf(service: SquareService) {
  const item_data = {
    name: service.name,
    description_plaintext: 'One hour with warm stones.',
    product_type: 'APPOINTMENTS_SERVICE',
    is_archived: service.isArchived === true,
    variations: [variationOf(service)],
  };
  return { type: 'ITEM', id: service.item, version: service.version, is_deleted: false, item_data };
}

/** The catalogue has changed, as Square says it. */
export const squareCatalogUpdated = (event: string, updatedAt: string) => ({
  merchant_id: MERCHANT,
  type: 'catalog.version.updated',
  event_id: event,
  created_at: updatedAt,
  data: { type: 'catalog_version', id: `c-${event}`, object: { catalog_version: { updated_at: updatedAt } } },
});
