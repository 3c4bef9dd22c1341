// Mews' Connector API, as its documentation says at https://docs.mews.com/connector-api (also github.com/MewsSystems/open-api-docs,
// f6eb492): POST alone, ClientToken, AccessToken and Client in the body, errors with Message, Limitation with Count and
// Cursor, and time units that begin at midnight of the property. Retry-After comes with 429.

import type { ApiAnswer, ApiRequest, VenueApi } from './venue-api.ts';

export const ENTERPRISE = '851df8c8-90f2-4c4a-8e01-a4fc46b25178';
const ZONE = 'Europe/Budapest';

export const MEWS_CREDENTIALS = {
  client_token: 'E0D439EE522F44368DC78E1BFB03710C-D24FB11DBE31D4621C4817E028D9E1D',
  access_token: 'C66EF7B239D24632943D115EDE9CB810-EA00F8FD8294692C940F6B5A8F9453D',
  service_id: 'bd26d8db-86da-4f96-9efc-e5a4654a4a94',
  rate_id: 'ed4b660b-19d0-434b-9360-a4de2ea42eda',
};

export interface MewsCategory {
  id: string;
  name: string;
  capacity: number;
  /** The free spaces of a time unit: its number, counted from today, and its start. */
  free: (day: number, start: string) => number;
  /** The price of a time unit; null: it has none. */
  price: (day: number, start: string) => number | null;
}

const refusal = (status: number, Message: string): ApiAnswer => ({ status, body: { Message, RequestId: 'r-1' } });
export const MEWS_RATE_LIMIT: ApiAnswer = { ...refusal(429, 'Too many requests.'), headers: { 'retry-after': '120' } };

const PAGE_SIZE = 2;
const HOUR_MS = 3_600_000;

const wallClock = new Intl.DateTimeFormat('en-GB', { timeZone: ZONE, hour: '2-digit', minute: '2-digit' });
/** The time of day at the property. */
export const timeInBudapest = (instant: number): string => wallClock.format(instant);

export class MewsApi implements VenueApi {
  readonly provider = 'mews';
  categories: MewsCategory[] = [];
  isActive = true;
  rate: 'active' | 'disabled' | 'deleted' = 'active';
  /** Members of answers that are replaced, as after a fault of Mews; undefined leaves them out. */
  replaced: Readonly<Record<string, unknown>> = {};

  reset(): void {
    this.replaced = {};
    this.categories = [];
    this.isActive = true;
    this.rate = 'active';
  }

  answer(request: ApiRequest): ApiAnswer {
    const { body, ...answer } = this.#answer(request);
    const members = Object.entries(body as object).map(([name, value]) => [
      name,
      Object.hasOwn(this.replaced, name) ? this.replaced[name] : value,
    ]);
    return { ...answer, body: Object.fromEntries(members) };
  }

  #answer({ method, path, body }: ApiRequest): ApiAnswer {
    if (method !== 'POST') return refusal(404, 'Not found.');
    if (body.ClientToken !== MEWS_CREDENTIALS.client_token) return refusal(401, 'Invalid ClientToken.');
    if (body.AccessToken !== MEWS_CREDENTIALS.access_token) return refusal(401, 'Invalid AccessToken.');
    if (typeof body.Client !== 'string') return refusal(400, 'Invalid Client.');
    if (path === '/configuration/get')
      return body.EnterpriseId === undefined || body.EnterpriseId === ENTERPRISE
        ? { status: 200, body: configuration() }
        : refusal(401, 'The access token is not valid for this enterprise.');
    if (path === '/services/getAll') return this.#services(body);
    if (path === '/rates/getAll') return this.#rates(body);
    if (path === '/resourceCategories/getAll') return this.#page(body);
    if (path === '/services/getAvailability') return this.#availability(body);
    return path === '/rates/getPricing' ? this.#pricing(body) : refusal(404, 'Not found.');
  }

  #services({ ServiceIds, Limitation }: ApiRequest['body']): ApiAnswer {
    if (!(Limitation?.Count >= 1)) return refusal(400, 'Invalid Limitation.');
    const isKnown = ServiceIds?.[0] === MEWS_CREDENTIALS.service_id;
    const Value = { StartOffset: 'P0M0DT15H0M0S', EndOffset: 'P0M0DT12H0M0S', TimeUnitPeriod: 'Day' };
    const Data = { Discriminator: 'Bookable', Value };
    const service = {
      Id: ServiceIds[0],
      EnterpriseId: ENTERPRISE,
      IsActive: this.isActive,
      Names: { 'en-US': 'Cabanas' },
      Data,
    };
    return { status: 200, body: { Services: isKnown ? [service] : [], Cursor: null } };
  }

  /** Without ActivityStates active and deleted rates are returned. */
  #rates({ RateIds, ActivityStates, Limitation }: ApiRequest['body']): ApiAnswer {
    if (!(Limitation?.Count >= 1)) return refusal(400, 'Invalid Limitation.');
    const state = this.rate === 'deleted' ? 'Deleted' : 'Active';
    const isListed = RateIds?.[0] === MEWS_CREDENTIALS.rate_id && (ActivityStates ?? [state]).includes(state);
    const rate = {
      Id: RateIds[0],
      IsActive: this.rate !== 'deleted',
      IsEnabled: this.rate === 'active',
      IsPublic: true,
      Names: { 'en-US': 'Flexible' },
      ExternalNames: {},
    };
    return { status: 200, body: { Rates: isListed ? [rate] : [], Cursor: null } };
  }

  /** The cursor is the id of the last item; the page after the last item is empty and has none. */
  #page({ ServiceIds, Limitation }: ApiRequest['body']): ApiAnswer {
    if (!Array.isArray(ServiceIds) || !(Limitation?.Count >= 1 && Limitation.Count <= 1000))
      return refusal(400, 'Invalid Limitation.');
    const after = this.categories.findIndex(({ id }) => id === Limitation.Cursor);
    const page = this.categories.slice(after + 1, after + 1 + PAGE_SIZE);
    const ResourceCategories = page.map(({ id, name, capacity }) => ({
      Id: id,
      ServiceId: ServiceIds[0],
      IsActive: true,
      Type: 'Other',
      Names: { 'de-DE': `${name} (de)`, 'en-US': name },
      ShortNames: { 'en-US': name },
      Descriptions: {},
      Capacity: capacity,
      ExtraCapacity: 0,
    }));
    return { status: 200, body: { ResourceCategories, Cursor: page.at(-1)?.id ?? null } };
  }

  #availability(body: ApiRequest['body']): ApiAnswer {
    const units = timeUnits(body);
    if (units === null) return refusal(400, 'Invalid FirstTimeUnitStartUtc.');
    const CategoryAvailabilities = this.categories.map(({ id, free }) => ({
      CategoryId: id,
      Availabilities: units.map((start, day) => free(day, start)),
      Adjustments: units.map(() => 0),
    }));
    return { status: 200, body: { CategoryAvailabilities, TimeUnitStartsUtc: units } };
  }

  #pricing(body: ApiRequest['body']): ApiAnswer {
    const units = timeUnits(body);
    if (units === null || body.RateId !== MEWS_CREDENTIALS.rate_id || this.rate === 'deleted')
      return refusal(400, 'Invalid RateId.');
    const amount = (value: number | null) =>
      value === null ? null : { Currency: 'EUR', NetValue: value / 1.25, GrossValue: value, TaxValues: [] };
    const CategoryPrices = this.categories.map(({ id, price }) => ({
      CategoryId: id,
      AmountPrices: units.map((start, day) => amount(price(day, start))),
    }));
    return { status: 200, body: { Currency: 'EUR', TimeUnitStartsUtc: units, CategoryPrices } };
  }
}

function configuration() {
  const Currencies = [{ Currency: 'EUR', IsDefault: true, IsEnabled: true }];
  const Enterprise = { Id: ENTERPRISE, Name: 'Hotel', TimeZoneIdentifier: ZONE, DefaultLanguageCode: 'en-US' };
  return { NowUtc: new Date().toISOString(), Enterprise: { ...Enterprise, Currencies, Pricing: 'Gross' } };
}

/** Null: the first or the last is not the beginning of a day at the property, or there are too many. */
function timeUnits({ FirstTimeUnitStartUtc: from, LastTimeUnitStartUtc: to }: ApiRequest['body']): string[] | null {
  const [first, last] = [Date.parse(from), Date.parse(to)];
  if (timeInBudapest(first) !== '00:00' || timeInBudapest(last) !== '00:00') return null;
  const units: string[] = [];
  for (let instant = first; instant <= last; instant += HOUR_MS)
    if (timeInBudapest(instant) === '00:00') units.push(new Date(instant).toISOString());
  return units.length > 367 ? null : units;
}
