// Toast's authentication and menus APIs, as its developer guide documents them: https://doc.toasttab.com/openapi/authentication/overview/,
// https://doc.toasttab.com/openapi/menus/overview/ (menus with groups in groups, lastUpdated, restaurantTimeZone) and
// https://doc.toasttab.com/doc/devguide/apiRateLimiting.html (429). The menus are shown some time after they were
// published: https://doc.toasttab.com/doc/devguide/apiMenusApiReturnsPublishedDataOnly.html.

import type { ApiAnswer, ApiRequest, VenueApi } from './venue-api.ts';

export const RESTAURANT = '3325cc58-dc6e-4e21-85f9-7de275ffe820';
export const TOAST_CREDENTIALS = {
  client_id: 'VKuhk4NaLedOcjZpJM8g',
  client_secret: 'eS960aiKdvgbSDcLUCk68HR2CJKw',
  restaurant_guid: RESTAURANT,
};

const refused: ApiAnswer = { status: 401, body: { status: 401, code: 0, message: 'Unauthorized' } };

export class ToastApi implements VenueApi {
  readonly provider = 'toast';
  logins = 0;
  lastUpdated = '2027-02-01T00:00:00.000+0000';
  items: { guid: string; name: string; price: number | null }[] = [];

  /** Every token that was given out stops working. */
  revokeTokens(): void {
    this.#tokens.clear();
  }

  readonly #tokens = new Set<string>();

  answer({ method, path, headers, body }: ApiRequest): ApiAnswer {
    if (path === '/authentication/v1/authentication/login' && method === 'POST') {
      const isRight =
        body.clientId === TOAST_CREDENTIALS.client_id &&
        body.clientSecret === TOAST_CREDENTIALS.client_secret &&
        body.userAccessType === 'TOAST_MACHINE_CLIENT';
      if (!isRight) return refused;
      this.logins += 1;
      const accessToken = `toast-token-${this.logins}`;
      this.#tokens.add(accessToken);
      const token = { tokenType: 'Bearer', scope: null, expiresIn: 86_400, accessToken };
      return { status: 200, body: { token, status: 'SUCCESS' } };
    }
    const token = String(headers.authorization ?? '').replace('Bearer ', '');
    if (!this.#tokens.has(token)) return refused;
    if (path !== '/menus/v2/menus' || headers['toast-restaurant-external-id'] !== RESTAURANT)
      return { status: 404, body: { status: 404, message: 'Not found' } };
    const shown = this.items.map((item) => ({ ...item, description: '', pricingStrategy: 'BASE_PRICE' }));
    // The first item is in two groups, as an item of a menu can be.
    const [first, ...rest] = shown;
    const group = { guid: 'g1', name: 'Mains', menuItems: first === undefined ? [] : [first, first], menuGroups: [] };
    const nested = { guid: 'g2', name: 'More', menuItems: [], menuGroups: [{ guid: 'g3', menuItems: rest }] };
    return {
      status: 200,
      body: {
        restaurantGuid: RESTAURANT,
        lastUpdated: this.lastUpdated,
        restaurantTimeZone: 'America/New_York',
        menus: [{ guid: 'm1', name: 'Dinner', menuGroups: [group, nested] }],
      },
    };
  }
}

/** A message of the menus webhook. */
export const menusUpdated = (guid: string, timestamp: string) => ({
  timestamp,
  eventCategory: 'menus',
  eventType: 'menus_updated',
  guid,
  details: { restaurantGuid: RESTAURANT, publishedDate: timestamp },
});
