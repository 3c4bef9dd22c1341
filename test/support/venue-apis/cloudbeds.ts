// Cloudbeds' API v1.3, as its specification says (github.com/cloudbeds/openapi-specs, f6c4b9a, src/pms-v1.3-openapi.yaml):
// x-api-key, answers with success and data, pageNumber and pageSize, dates without a time. Errors and limits:
// https://developers.cloudbeds.com/docs/common-api-errors-in-progress and https://developers.cloudbeds.com/docs/faq.

import type { ApiAnswer, ApiRequest, VenueApi } from './venue-api.ts';

export const CLOUDBEDS_CREDENTIALS = { api_key: 'cbat_Vq8rG1m0sQz5pYk2', property_id: '4971' };

export interface CloudbedsRoomType {
  id: string;
  name: string;
  maxGuests: number;
  /** The rate of a night, counted from the first of the request, and its free rooms. */
  night: (
    day: number,
    date: string,
  ) => { rateBase: number; roomsAvailable: number; blocked?: boolean; minLos?: number };
  /** A dormitory: the spec calls a room type private or shared. */
  isShared?: boolean;
}

const refused: ApiAnswer = {
  status: 401,
  body: { error: 'access_denied', message: 'The resource owner or authorization server denied the request.' },
};
export const CLOUDBEDS_RATE_LIMIT: ApiAnswer = { status: 429, body: { success: false, message: 'Too many requests' } };
const unsuccessful = (message: string): ApiAnswer => ({ status: 200, body: { success: false, message } });

/** The specification's default. */
const DEFAULT_PAGE_SIZE = 20;
const DAY_MS = 86_400_000;

export class CloudbedsApi implements VenueApi {
  readonly provider = 'cloudbeds';
  types: CloudbedsRoomType[] = [];
  isApproved = true;
  /** The most items of a page, also when the caller asks for more. */
  maxPageSize = 100;
  /** What the answer states as total; null: nothing. */
  total: (types: number) => number | null = (types) => types;

  reset(): void {
    this.types = [];
    this.isApproved = true;
    this.maxPageSize = 100;
    this.total = (types) => types;
  }

  answer({ method, path, query, headers }: ApiRequest): ApiAnswer {
    if (headers['x-api-key'] !== CLOUDBEDS_CREDENTIALS.api_key) return refused;
    if (!this.isApproved) return unsuccessful('User who approved this connection is not active anymore');
    const property = query.get('propertyID') ?? query.get('propertyIDs');
    const [pageNumber, pageSize] = ['pageNumber', 'pageSize'].map((name) => Number(query.get(name) ?? 0));
    if (method !== 'GET' || property !== CLOUDBEDS_CREDENTIALS.property_id) return unsuccessful('Invalid property');
    if (path === '/getHotelDetails') return { status: 200, body: { success: true, data: hotel } };
    if (path === '/getHotels') return { status: 200, body: { success: true, data: [listedHotel], count: 1, total: 1 } };
    if (path === '/getRoomTypes')
      return this.#page(pageNumber || 1, Math.min(pageSize || DEFAULT_PAGE_SIZE, this.maxPageSize));
    return path === '/getRatePlans' ? this.#rates(query) : { status: 404, body: { success: false } };
  }

  #page(number: number, size: number): ApiAnswer {
    const page = this.types.slice((number - 1) * size, number * size);
    const data = page.map(({ id, name, maxGuests, isShared = false }) => ({
      roomTypeID: id,
      propertyID: CLOUDBEDS_CREDENTIALS.property_id,
      roomTypeName: name,
      roomTypeDescription: 'With a view of the sea.',
      isPrivate: !isShared,
      maxGuests,
    }));
    const total = this.total(this.types.length);
    return { status: 200, body: { success: true, data, count: data.length, ...(total === null ? {} : { total }) } };
  }

  #rates(query: URLSearchParams): ApiAnswer {
    const [start, end] = [query.get('startDate') ?? '', query.get('endDate') ?? ''];
    if (!/^\d{4}-\d\d-\d\d$/.test(start) || end <= start) return unsuccessful('Invalid startDate');
    const nights = Array.from({ length: (Date.parse(end) - Date.parse(start)) / DAY_MS }, (_, day) =>
      new Date(Date.parse(start) + day * DAY_MS).toISOString().slice(0, 10),
    );
    const isDetailed = query.get('detailedRates') === 'true';
    const plan = ({ id, name, night }: CloudbedsRoomType, kind: 'base' | 'package' | 'derived') => ({
      rateID: `${id}${kind === 'base' ? 1 : kind === 'package' ? 5 : 9}`,
      isDerived: kind === 'derived',
      roomTypeID: id,
      roomTypeName: name,
      ...(kind === 'base' ? { ratePlanID: null } : { ratePlanID: `${id}7`, ratePlanNamePublic: 'Members' }),
      roomRateDetailed: isDetailed
        ? nights.map((date, day) => {
            const { rateBase, roomsAvailable, blocked = false, minLos = 0 } = night(day, date);
            const rate = kind === 'base' ? rateBase : rateBase * 2;
            return { date, rateBase: rate, totalRate: rate, roomsAvailable, closedToArrival: false, blocked, minLos };
          })
        : [],
    });
    const data = this.types.flatMap((type) => [plan(type, 'derived'), plan(type, 'package'), plan(type, 'base')]);
    return { status: 200, body: { success: true, data } };
  }
}

const listedHotel = {
  propertyID: CLOUDBEDS_CREDENTIALS.property_id,
  propertyName: 'Sea View',
  propertyTimezone: 'Europe/Lisbon',
};

const hotel = {
  propertyID: CLOUDBEDS_CREDENTIALS.property_id,
  propertyName: 'Sea View',
  propertyCurrency: { currencyCode: 'EUR', currencySymbol: '€', currencyPosition: 'before' },
  propertyPolicy: { propertyCheckInTime: '15:00:00', propertyCheckOutTime: '11:00:00' },
};

/** A ping of ids, as Cloudbeds sends it. */
export const cloudbedsPing = (event: string, reservationID: string) => ({
  version: '1.0',
  event,
  timestamp: 1812825000.123456,
  propertyID: 4971,
  propertyID_str: '4971',
  reservationID,
});
