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
  /** Which ways to play are allowed; both without it. */
  rateType?: 'both' | 'riding' | 'walking';
  /** Only on a revamped tee sheet. */
  groups?: readonly number[];
  /** The time is on the second side of a revamped tee sheet. */
  isSecondSide?: boolean;
}

const refused: ApiAnswer = { status: 403, body: { success: false, msg: 'Invalid token' } };
/** A guess: no page shows what foreUP answers to too many requests. */
export const FOREUP_RATE_LIMIT: ApiAnswer = { status: 429, body: { msg: 'Too many requests' } };

export interface TeeSheet {
  id: string;
  title: string;
  /** 18 without it. */
  holes?: number;
}

export class ForeUpApi implements VenueApi {
  readonly provider = 'foreup';
  logins = 0;
  sheets: TeeSheet[] = [];
  /** A sheet that the user may not read: the FAQ names 403 for a resource that was not approved. */
  forbiddenSheet: string | null = null;
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
    const found = this.sheets.find(({ id }) => id === sheet);
    if (sheet === this.forbiddenSheet) return refused;
    return found === undefined ? { status: 404, body: { msg: 'Not found' } } : this.#teeTimes(found, query);
  }

  #login({ email, password }: ApiRequest['body']): ApiAnswer {
    if (email !== FOREUP_CREDENTIALS.email || password !== FOREUP_CREDENTIALS.password) return refused;
    this.logins += 1;
    const id = `foreup-token-${this.logins}`;
    this.#tokens.add(id);
    return { status: 200, body: { data: { type: 'token', id, attributes: [] } } };
  }

  /** Without holes the times for 18 holes, without scheduleSideId those of the first side. */
  #teeTimes({ id: sheet, holes = 18 }: TeeSheet, query: URLSearchParams): ApiAnswer {
    const date = query.get('date') ?? '';
    if (!/^\d{4}-\d\d-\d\d$/.test(date) || query.get('startTime') === null || query.get('endTime') === null)
      return { status: 400, body: { msg: 'startTime, endTime and date are required' } };
    this.dates.push(date);
    const asked = query.get('holes') ?? '18';
    if (!['9', '18', 'Both'].includes(asked)) return { status: 400, body: { msg: 'holes must be 9, 18 or Both' } };
    const isPlayed = asked === 'Both' || (asked === '9' ? holes === 9 : holes >= 18);
    const isAllSides = query.get('scheduleSideId') === 'all';
    const times = this.times(date).filter(({ isSecondSide = false }) => isPlayed && (isAllSides || !isSecondSide));
    const data = times.map(({ time, spots, greenFee, rateType = 'both', groups, isSecondSide = false }) => ({
      type: 'tee_time_slot',
      id: `${date.replaceAll('-', '')}${time}${isSecondSide ? '2' : ''}`,
      attributes: {
        time: `${date}T${time.slice(0, 2)}:${time.slice(2)}:00-0700`,
        holes: Math.min(holes, 18),
        scheduleId: sheet,
        availableSpots: spots,
        greenFee,
        cartFee: 12,
        rateType,
        ...(groups === undefined ? {} : { allowedGroupSizes: groups }),
      },
    }));
    return { status: 200, body: { data } };
  }
}

const shownSheet = ({ id, title, holes = 18 }: TeeSheet) => ({
  type: 'teesheets',
  id,
  attributes: { title, courseId: Number(FOREUP_CREDENTIALS.course_id), holes },
});

/** An event of ids, as foreUP sends it. */
export const foreupPing = (event: string, id: string, teesheet = 12) => ({
  event,
  course_id: FOREUP_CREDENTIALS.course_id,
  teesheet_id: teesheet,
  id,
});
