// The OCTO API of Ventrata and Peek, as https://docs.ventrata.com, https://octodocs.peek.com and github.com/ventrata/octo-types (221bfdf) document it:
// Bearer key, 401 without one and 403 for a wrong one, Octo-Capabilities, INVALID_PRODUCT_ID, availability of an option
// between two local dates, and prices as whole numbers with a precision.

import { dateAfter } from '../../../src/domain/hooks/readers/read-days.ts';
import type { ApiAnswer, ApiRequest, VenueApi } from './venue-api.ts';

export const OCTO_CREDENTIALS = { api_key: '7c1d2e3f-323e-4edb-ac9b-0a1b2c3d4e5f' };

export interface OctoProduct {
  id: string;
  name: string;
  /** The retail price of an adult on a date; null: the product is not sold on it. */
  adult: (date: string) => number | null;
  vacancies: number | null;
  /** The currency of the prices, and its precision; USD and 2 without it. */
  currency?: { code: string; precision: number };
  /** The currency that the product names, if it is another one. */
  defaultCurrency?: string;
  /** The price is one for the whole booking: there are no prices of units. */
  isPricedForBooking?: boolean;
  /** A family ticket: one unit for this number of people. */
  familyOf?: number;
  /** No option is marked as the default one. */
  hasNoDefault?: boolean;
  status?: (date: string) => 'CLOSED' | 'LIMITED' | null;
  /** The product is sold by the day: each time begins at midnight and ends at the next. */
  isAllDay?: boolean;
}

const refusal = (status: number, error: string): ApiAnswer => ({ status, body: { error, errorMessage: error } });
/** A guess: the pages of Peek and Ventrata name neither a limit nor an answer to too many requests. */
export const OCTO_RATE_LIMIT: ApiAnswer = { ...refusal(429, 'TOO_MANY_REQUESTS'), headers: { 'retry-after': '60' } };

const DAY_MS = 86_400_000;

export class OctoApi implements VenueApi {
  readonly provider: string;
  products: OctoProduct[] = [];

  constructor(provider: 'ventrata' | 'peek') {
    this.provider = provider;
  }

  answer({ method, path, headers, body }: ApiRequest): ApiAnswer {
    if (headers.authorization === undefined) return refusal(401, 'UNAUTHORIZED');
    if (headers.authorization !== `Bearer ${OCTO_CREDENTIALS.api_key}`) return refusal(403, 'FORBIDDEN');
    const capabilities = String(headers['octo-capabilities'] ?? '').split(/, ?/);
    if (method === 'GET' && path === '/products')
      return { status: 200, body: this.products.map((product) => shown(product, capabilities)) };
    const wanted = path === '/availability' ? body?.productId : /^\/products\/([^/]+)$/.exec(path)?.[1];
    const product = this.products.find(({ id }) => id === wanted);
    if (product === undefined) return refusal(400, 'INVALID_PRODUCT_ID');
    if (method === 'GET') return { status: 200, body: shown(product, capabilities) };
    if (body.optionId !== 'DEFAULT') return refusal(400, 'INVALID_OPTION_ID');
    return availability(product, body, capabilities.includes('octo/pricing'));
  }
}

function shown(product: OctoProduct, capabilities: readonly string[]) {
  const { id, name, familyOf, hasNoDefault = false, isPricedForBooking = false } = product;
  const currency = product.defaultCurrency ?? product.currency?.code ?? 'USD';
  const hasContent = capabilities.includes('octo/content');
  const unit = (key: string, title: string, paxCount = 1) => ({
    id: key,
    internalName: `${title} (internal)`,
    type: key.toUpperCase(),
    restrictions: { minAge: 0, maxAge: 99, idRequired: false, paxCount, accompaniedBy: [] },
    ...(hasContent ? { title } : {}),
  });
  return {
    id,
    internalName: `${name} (internal)`,
    timeZone: 'America/New_York',
    availabilityType: product.isAllDay === true ? 'OPENING_HOURS' : 'START_TIME',
    ...(hasContent ? { title: name, shortDescription: 'Two hours on the river.' } : {}),
    ...(capabilities.includes('octo/pricing')
      ? { defaultCurrency: currency, pricingPer: isPricedForBooking ? 'BOOKING' : 'UNIT' }
      : {}),
    options: [
      ...(hasNoDefault ? [] : [{ id: 'OTHER', default: false, internalName: 'Other', units: [] }]),
      {
        id: 'DEFAULT',
        default: !hasNoDefault,
        internalName: 'Default',
        units: [
          unit('adult', 'Adult'),
          unit('child', 'Child'),
          ...(familyOf === undefined ? [] : [unit('family', 'Family', familyOf)]),
        ],
      },
    ],
  };
}

function availability(product: OctoProduct, body: ApiRequest['body'], hasPrices: boolean): ApiAnswer {
  const { adult, vacancies, familyOf, isPricedForBooking = false, isAllDay = false } = product;
  const { code, precision } = product.currency ?? { code: 'USD', precision: 2 };
  const { localDateStart: from, localDateEnd: to } = body;
  if (!/^\d{4}-\d\d-\d\d$/.test(from) || !(to >= from)) return refusal(400, 'BAD_REQUEST');
  const dates = Array.from({ length: (Date.parse(to) - Date.parse(from)) / DAY_MS + 1 }, (_, day) =>
    new Date(Date.parse(from) + day * DAY_MS).toISOString().slice(0, 10),
  );
  const pricing = (retail: number) => ({ original: retail, retail, currency: code, currencyPrecision: precision });
  const price = (unitId: string, retail: number) => ({ unitId, ...pricing(retail) });
  const units = (retail: number) => [
    price('adult', retail),
    price('child', 4000),
    ...(familyOf === undefined ? [] : [price('family', 18_000)]),
  ];
  const listed = dates.flatMap((date) => {
    const retail = adult(date);
    if (retail === null) return [];
    const start = `${date}T${isAllDay ? '00' : '18'}:00:00-05:00`;
    const status = product.status?.(date) ?? null;
    const isSoldOut = vacancies === 0;
    return {
      id: start,
      localDateTimeStart: start,
      localDateTimeEnd: isAllDay ? `${dateAfter(date, 1)}T00:00:00-05:00` : `${date}T20:00:00-05:00`,
      allDay: isAllDay,
      available: !isSoldOut && status !== 'CLOSED',
      status: status ?? (vacancies === null ? 'FREESALE' : isSoldOut ? 'SOLD_OUT' : 'AVAILABLE'),
      vacancies,
      ...(!hasPrices ? {} : isPricedForBooking ? { pricing: pricing(retail) } : { unitPricing: units(retail) }),
    };
  });
  return { status: 200, body: listed };
}
