// foreUP's API, as https://docs.foreup.apiary.io and github.com/brendonbeebe/foreupapi (c3ea41a, apiary.apib) document it: POST
// /tokens for an e-mail address and a password, x-authorization, JSON:API, 403 for a token that is wrong or has expired,
// and tee times of one day a request, with an offset without a colon.

import type { ApiAnswer, ApiRequest, VenueApi } from './venue-api.ts';

export const FOREUP_CREDENTIALS = { email: 'api@links.example', password: 'a-password-of-foreup', course_id: '9039' };

export interface TeeTime {
  /** HHMM */
  time: string;
  spots: number;
  greenFee: number;
}

const refused: ApiAnswer = { status: 403, body: { success: false, msg: 'Invalid token' } };
export const FOREUP_RATE_LIMIT: ApiAnswer = { status: 429, body: { msg: 'Too many requests' } };

export class ForeUpApi implements VenueApi {
  readonly provider = 'foreup';
  logins = 0;
  sheets: { id: string; title: string }[] = [];
  /** The tee times of a date. */
  times: (date: string) => TeeTime[] = () => [];
  dates: string[] = [];

  readonly #tokens = new Set<string>();

  /** Every token that was given out has expired. */
  expireTokens(): void {
    this.#tokens.clear();
  }

  answer({ method, path, query, headers, body }: ApiRequest): ApiAnswer {
    if (path === '/tokens' && method === 'POST') return this.#login(body);
    if (!this.#tokens.has(String(headers['x-authorization'] ?? '').replace('Bearer ', ''))) return refused;
    const [, course, sheet] = /^\/courses\/(\d+)\/teesheets(?:\/(\d+)\/teetimes)?$/.exec(path) ?? [];
    if (course !== FOREUP_CREDENTIALS.course_id) return refused;
    if (sheet === undefined) return { status: 200, body: { data: this.sheets.map(shownSheet) } };
    if (!this.sheets.some(({ id }) => id === sheet)) return { status: 404, body: { msg: 'Not found' } };
    return this.#teeTimes(sheet, query);
  }

  #login({ email, password }: ApiRequest['body']): ApiAnswer {
    if (email !== FOREUP_CREDENTIALS.email || password !== FOREUP_CREDENTIALS.password) return refused;
    this.logins += 1;
    const id = `foreup-token-${this.logins}`;
    this.#tokens.add(id);
    return { status: 200, body: { data: { type: 'token', id, attributes: [] } } };
  }

  #teeTimes(sheet: string, query: URLSearchParams): ApiAnswer {
    const date = query.get('date') ?? '';
    if (!/^\d{4}-\d\d-\d\d$/.test(date) || query.get('startTime') === null || query.get('endTime') === null)
      return { status: 400, body: { msg: 'startTime, endTime and date are required' } };
    this.dates.push(date);
    const data = this.times(date).map(({ time, spots, greenFee }) => ({
      type: 'tee_time_slot',
      id: `${date.replaceAll('-', '')}${time}`,
      attributes: {
        time: `${date}T${time.slice(0, 2)}:${time.slice(2)}:00-0700`,
        holes: 18,
        scheduleId: sheet,
        availableSpots: spots,
        greenFee,
        cartFee: 12,
        rateType: 'both',
      },
    }));
    return { status: 200, body: { data } };
  }
}

const shownSheet = ({ id, title }: { id: string; title: string }) => ({
  type: 'teesheets',
  id,
  attributes: { title, courseId: Number(FOREUP_CREDENTIALS.course_id), holes: 18 },
});

/** An event of ids, as foreUP sends it. */
export const foreupPing = (event: string, id: string, teesheet = 12) => ({
  event,
  course_id: FOREUP_CREDENTIALS.course_id,
  teesheet_id: teesheet,
  id,
});
