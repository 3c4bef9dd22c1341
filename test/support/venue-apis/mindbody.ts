// Mindbody's Public API v6, as https://developers.mindbodyonline.com/PublicDocumentation/V6 and the types of
// github.com/SplitPass/mindbody-api (a3ff2ff) describe it: headers API-Key and SiteId, request.limit of at most 200 and
// request.offset, PaginationResponse, errors with Error.Code, and local times without an offset.

import { mindbody } from '../venue-bodies.ts';
import type { ApiAnswer, ApiRequest, VenueApi } from './venue-api.ts';

export const MINDBODY_CREDENTIALS = { api_key: '0f1e2d3c4b5a69788796a5b4c3d2e1f0', site_id: '-99' };

export interface MindbodyClass {
  id: number;
  description: number;
  name: string;
  /** YYYY-MM-DDTHH:MM:SS, local. */
  starts: string;
  booked: number;
  isCanceled?: boolean;
  /** False: Mindbody does not let clients book it. */
  isAvailable?: boolean;
}

const error = (status: number, Code: string): ApiAnswer => ({ status, body: { Error: { Message: Code, Code } } });
/** A guess: no page shows what Mindbody answers to too many requests. */
export const MINDBODY_RATE_LIMIT = error(429, 'TooManyRequests');

export class MindbodyApi implements VenueApi {
  readonly provider = 'mindbody';
  classes: MindbodyClass[] = [];
  timeZone = 'America/New_York';
  /** The most items of a page. */
  maxLimit = 200;

  answer({ method, path, query, headers }: ApiRequest): ApiAnswer {
    if (headers['api-key'] !== MINDBODY_CREDENTIALS.api_key) return error(401, 'DeniedAccess');
    if (headers.siteid !== MINDBODY_CREDENTIALS.site_id || method !== 'GET') return error(403, 'DeniedAccess');
    const value = (name: string): string | null => query.get(`request.${name}`);
    if (path === '/class/classdescriptions') {
      const found = new Map(this.classes.map(({ description, name }) => [description, name]));
      return page(
        'ClassDescriptions',
        [...found].map(([Id, Name]) => ({ Id, Name, Active: true })),
        value,
        this.maxLimit,
      );
    }
    if (path === '/site/sites') {
      const site = { Id: Number(value('siteIds')), Name: 'Studio', TimeZone: this.timeZone, CurrencyIsoCode: 'USD' };
      return page('Sites', [site], value, this.maxLimit);
    }
    if (path !== '/class/classes') return error(404, 'NotFound');
    const today = new Date().toISOString().slice(0, 10);
    const [from, to] = [value('startDateTime') ?? today, value('endDateTime') ?? today];
    const [description, id] = [value('classDescriptionIds'), value('classIds')];
    const listed = this.classes.filter(
      (one) =>
        one.starts.slice(0, 10) >= from &&
        one.starts.slice(0, 10) <= to &&
        (description === null || String(one.description) === description) &&
        (id === null || String(one.id) === id) &&
        (value('hideCanceledClasses') !== 'true' || one.isCanceled !== true),
    );
    return page('Classes', listed.map(shown), value, this.maxLimit);
  }
}

function page(
  name: string,
  all: readonly object[],
  value: (name: string) => string | null,
  maxLimit: number,
): ApiAnswer {
  const [limit, offset] = [Math.min(Number(value('limit') ?? 100), maxLimit), Number(value('offset') ?? 0)];
  const items = all.slice(offset, offset + limit);
  const PaginationResponse = {
    RequestedLimit: limit,
    RequestedOffset: offset,
    PageSize: items.length,
    TotalResults: all.length,
  };
  return { status: 200, body: { PaginationResponse, [name]: items } };
}

function shown({ id, description, name, starts, booked, isCanceled = false, isAvailable = true }: MindbodyClass) {
  return {
    Id: id,
    ClassScheduleId: 7,
    StartDateTime: starts,
    EndDateTime: `${starts.slice(0, 14)}55:00`,
    MaxCapacity: 20,
    WebCapacity: 15,
    TotalBooked: booked,
    WebBooked: 0,
    IsCanceled: isCanceled,
    IsAvailable: isAvailable,
    Active: true,
    ClassDescription: { Id: description, Name: name, Description: '<p>Slow.</p>' },
  };
}

/** A schedule of classes has changed. */
export const classSchedule = (messageId: string, siteId = -99): object =>
  mindbody(
    'classSchedule.updated',
    { siteId, locationId: 1, classScheduleId: 7, classDescriptionId: 69 },
    '2027-01-15T18:04:05Z',
    messageId,
  );
