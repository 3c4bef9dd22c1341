// Eventbrite's API v3, as its reference documents it: https://www.eventbrite.com/platform/api (Bearer token, expansions,
// `pagination` with has_more_items and continuation, errors with status_code, error and error_description, 429 HIT_RATE_LIMIT).

import type { ApiAnswer, ApiRequest, VenueApi } from './venue-api.ts';

export interface EventbriteEvent {
  id: string;
  name: string;
  status: string;
  changed: string;
  starts: string;
  ends: string;
  currency: string;
  total: number;
  sold: number;
  tickets: { id: string; name: string; value: number | null }[];
  organization: string;
}

export const TOKEN = 'EVENTBRITEPRIVATETOKEN01';

export function eventbriteEvent(id: string, change: Partial<EventbriteEvent> = {}): EventbriteEvent {
  return {
    id,
    name: 'Sunset concert',
    status: 'live',
    changed: '2027-01-02T10:00:00Z',
    starts: '2027-08-14T23:30:00Z',
    ends: '2027-08-15T02:00:00Z',
    currency: 'USD',
    total: 100,
    sold: 40,
    tickets: [{ id: `${id}1`, name: 'General admission', value: 4500 }],
    organization: '77',
    ...change,
  };
}

const error = (status: number, code: string, headers = {}): ApiAnswer => ({
  status,
  body: { status_code: status, error: code, error_description: 'See the reference.' },
  headers,
});

const PAGE_SIZE = 2;

export class EventbriteApi implements VenueApi {
  readonly provider = 'eventbrite';
  readonly events = new Map<string, EventbriteEvent>();
  readonly orders = new Map<string, string>();
  token = TOKEN;
  organizations = ['77'];
  /** Organizations of the account whose events the token may not read. */
  forbidden: readonly string[] = [];
  /** A fault that a test plants: what the list of events says of its next page. */
  nextPage: 'right' | 'first again' | 'not named' = 'right';

  reset(): void {
    this.events.clear();
    this.orders.clear();
    this.token = TOKEN;
    this.organizations = ['77'];
    this.forbidden = [];
    this.nextPage = 'right';
  }

  add(event: EventbriteEvent): EventbriteEvent {
    this.events.set(event.id, event);
    return event;
  }

  answer({ method, path, query, headers }: ApiRequest): ApiAnswer {
    if (headers.authorization === undefined) return error(401, 'NO_AUTH');
    if (headers.authorization !== `Bearer ${this.token}`) return error(401, 'INVALID_AUTH');
    if (method !== 'GET') return error(405, 'METHOD_NOT_ALLOWED');
    if (path === '/users/me/organizations/')
      return this.#page(
        query,
        'organizations',
        this.organizations.map((id) => ({ id, name: 'Pier' })),
      );
    const organization = /^\/organizations\/(\d+)\/events\/$/.exec(path)?.[1];
    if (organization !== undefined) return this.#events(organization, query);
    const order = /^\/orders\/(\d+)\/$/.exec(path)?.[1];
    if (order !== undefined) {
      const event = this.orders.get(order);
      return event === undefined ? error(404, 'NOT_FOUND') : { status: 200, body: { id: order, event_id: event } };
    }
    const [, id = '', isCapacity] = /^\/events\/(\d+)\/(capacity_tier\/)?$/.exec(path) ?? [];
    const event = this.events.get(id);
    if (event === undefined) return error(404, 'NOT_FOUND');
    if (isCapacity !== undefined)
      return { status: 200, body: { capacity_total: event.total, capacity_sold: event.sold, capacity_pending: 0 } };
    return { status: 200, body: shown(event, query.get('expand') === 'ticket_classes') };
  }

  #events(organization: string, query: URLSearchParams): ApiAnswer {
    if (!this.organizations.includes(organization)) return error(404, 'NOT_FOUND');
    if (this.forbidden.includes(organization)) return error(403, 'NOT_AUTHORIZED');
    const statuses = query.get('status')?.split(',') ?? [];
    const events = [...this.events.values()].filter(
      (event) => event.organization === organization && statuses.includes(event.status),
    );
    const page = this.#page(
      query,
      'events',
      events.map((event) => shown(event, false)),
    );
    const { pagination } = page.body as { pagination: { continuation?: string } };
    if (this.nextPage === 'first again') Object.assign(pagination, { has_more_items: true, continuation: '0' });
    if (this.nextPage === 'not named') delete pagination.continuation;
    return page;
  }

  #page(query: URLSearchParams, name: string, all: readonly object[]): ApiAnswer {
    const from = Number(query.get('continuation') ?? 0);
    const hasMore = from + PAGE_SIZE < all.length;
    const pagination = { has_more_items: hasMore, ...(hasMore ? { continuation: String(from + PAGE_SIZE) } : {}) };
    return { status: 200, body: { pagination, [name]: all.slice(from, from + PAGE_SIZE) } };
  }
}

function shown(event: EventbriteEvent, withTickets: boolean) {
  const local = (utc: string) => ({ timezone: 'America/New_York', local: utc.slice(0, 19), utc });
  return {
    id: event.id,
    name: { text: event.name, html: event.name },
    summary: 'Two hours on the pier.',
    url: `https://www.eventbrite.com/e/${event.id}`,
    start: local(event.starts),
    end: local(event.ends),
    status: event.status,
    currency: event.currency,
    changed: event.changed,
    ...(withTickets
      ? {
          ticket_classes: event.tickets.map(({ id, name, value }) => ({
            id,
            name,
            free: value === null,
            donation: false,
            hidden: false,
            ...(value === null
              ? {}
              : { cost: { currency: event.currency, value, major_value: (value / 100).toFixed(2) } }),
          })),
        }
      : {}),
  };
}

/** A ping of ids, as Eventbrite sends it. */
export const eventbritePing = (id: string, action = 'event.updated', kind = 'events') => ({
  api_url: `https://www.eventbriteapi.com/v3/${kind}/${id}/`,
  config: { action, user_id: '1', endpoint_url: 'https://api.everyshare.example/', webhook_id: '9' },
});
