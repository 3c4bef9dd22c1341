// The demo's request log of the last days, and when each key was used last: the calls that created the checkouts, reads
// between them, and some that were refused.

import type { CommandContext } from '../../base/command-context.ts';
import type { Mode } from '../../base/config.ts';
import type { Queryable } from '../../base/db.ts';
import { recordKeyUses } from '../keys/key-use-queries.ts';
import { insertRequests, type NewRequest, slotOf } from '../requests/queries.ts';
import { sealNameOfRequest } from '../requests/request-log.ts';
import type { PastCheckout } from './past-checkout.ts';
import { idsAt } from './past-ids.ts';
import { makeSeeded, type Seeded } from './seeded.ts';

const MINUTE = 60_000;
const DAYS_OF_LOG_MS = 6 * 24 * 60 * MINUTE;
const MAX_IN_CALL = 500;
const ADDRESS = '203.0.113.0';
const USER_AGENT = 'everyshare-node/1.0.0';

interface Call {
  readonly at: number;
  readonly method: string;
  readonly path: string;
  readonly route: string;
  readonly operation: string;
  readonly status: number;
  readonly refusal: Refusal | null;
}

interface Refusal {
  readonly code: string;
  readonly reason: string | null;
  readonly field: string | null;
  readonly message: string;
  readonly body: string | null;
}

const CREATE = { method: 'POST', path: '/v1/checkouts', route: '/v1/checkouts', operation: 'createCheckout' };

const REFUSALS: readonly { readonly status: number; readonly refusal: Refusal }[] = [
  {
    status: 422,
    refusal: {
      code: 'invalid_type',
      reason: null,
      field: '/amount',
      message: 'Money is a whole number of cents, not a string.',
      body: '{"amount":"480.00","currency":"usd","party_size":6}',
    },
  },
  {
    status: 409,
    refusal: {
      code: 'conflict',
      reason: 'booking_in_progress',
      field: null,
      message: 'This booking has a checkout that is not expired or canceled.',
      body: '{"amount":48000,"currency":"usd","party_size":6,"external_booking_id":"bk-1001"}',
    },
  },
];

export interface RequestOptions {
  readonly venueId: string;
  readonly mode: Mode;
  readonly keyId: string;
  readonly seed: number;
  readonly until: number;
}

export async function fillRequests(
  tx: Queryable,
  command: CommandContext,
  checkouts: readonly PastCheckout[],
  options: RequestOptions,
): Promise<void> {
  const { venueId, keyId, until } = options;
  const seeded = makeSeeded(options.seed);
  const recent = checkouts.filter(({ plan }) => plan.createdAt > until - DAYS_OF_LOG_MS);
  const calls = recent.flatMap((checkout) => callsAbout(seeded, checkout, until));
  const lines = calls.map((call) => lineOf(seeded, command, call, options));
  for (let first = 0; first < lines.length; first += MAX_IN_CALL) {
    await insertRequests(tx, lines.slice(first, first + MAX_IN_CALL));
  }
  const lastAt = Math.max(until - 60 * MINUTE, ...calls.map(({ at }) => at));
  await recordKeyUses(tx, [{ venueId, keyId, at: lastAt, address: ADDRESS }]);
}

/** The create, now and then refused before, and a few reads of the checkout. */
function callsAbout(seeded: Seeded, { id, plan }: PastCheckout, until: number): readonly Call[] {
  const created: Call = { ...CREATE, at: plan.createdAt, status: 201, refusal: null };
  const refused = seeded.chance(0.12) ? [{ ...CREATE, at: plan.createdAt - 2 * MINUTE, ...seeded.pick(REFUSALS) }] : [];
  const read = { method: 'GET', path: `/v1/checkouts/${id}`, route: '/v1/checkouts/{id}', operation: 'getCheckout' };
  const reads = Array.from({ length: seeded.integer(1, 6) }, (): Call => {
    return { ...read, at: plan.createdAt + seeded.integer(1, 240) * MINUTE, status: 200, refusal: null };
  });
  return [...refused, created, ...reads].filter(({ at }) => at <= until);
}

function lineOf(seeded: Seeded, { random, seal }: CommandContext, call: Call, options: RequestOptions): NewRequest {
  const { venueId, mode, keyId } = options;
  const { at, method, path, route, operation, status, refusal } = call;
  const requestId = idsAt(at, random).prefixed('req');
  return {
    venue_id: venueId,
    mode,
    request_id: requestId,
    slot: slotOf(at),
    at: at / 1_000,
    key_id: keyId,
    method,
    path,
    route,
    operation,
    tool: null,
    status,
    code: refusal?.code ?? null,
    reason: refusal?.reason ?? null,
    field: refusal?.field ?? null,
    problem_count: refusal === null ? 0 : 1,
    replayed: false,
    duration_ms: seeded.integer(28, 190) / 10,
    address: ADDRESS,
    user_agent: USER_AGENT,
    failure:
      refusal === null ? null : seal.seal(failureOf(refusal), sealNameOfRequest(venueId, requestId)).toString('base64'),
  };
}

/** As the log keeps it. */
function failureOf({ code, field, message, body }: Refusal): string {
  const problems = [{ code, field, message, expected: null, exampleFix: null }];
  return JSON.stringify({ message, problems, body, bodyIsCut: false });
}
