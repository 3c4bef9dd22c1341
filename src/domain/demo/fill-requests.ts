// The demo's request log of the last days, and when each key was used last: the calls that created the checkouts, reads
// between them, and some that were refused.

import type { CommandContext } from '../../base/command-context.ts';
import type { Mode } from '../../base/config.ts';
import type { Queryable } from '../../base/db.ts';
import { recordKeyUses } from '../keys/key-use-queries.ts';
import { insertBlocks } from '../requests/block-queries.ts';
import { groupCalls, type PlainCall } from '../requests/group-calls.ts';
import { slotOf } from '../requests/id-range.ts';
import type { LoggedOperation } from '../requests/logged-path.ts';
import { insertRequests, type NewRequest } from '../requests/queries.ts';
import { loggedAddress } from '../requests/request-line.ts';
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
  readonly operation: LoggedOperation;
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

const CREATE = {
  method: 'POST',
  path: '/v1/checkouts',
  operation: { id: 'createCheckout', path: '/v1/checkouts' },
} as const;
const READ = { method: 'GET', operation: { id: 'getCheckout', path: '/v1/checkouts/{id}' } } as const;

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
  for (let first = 0; first < calls.length; first += MAX_IN_CALL) {
    await insertCalls(tx, seeded, command, calls.slice(first, first + MAX_IN_CALL), options);
  }
  const lastAt = Math.max(until - 60 * MINUTE, ...calls.map(({ at }) => at));
  await recordKeyUses(tx, [{ venueId, keyId, at: lastAt, address: ADDRESS }]);
}

async function insertCalls(
  tx: Queryable,
  seeded: Seeded,
  command: CommandContext,
  calls: readonly Call[],
  options: RequestOptions,
): Promise<void> {
  const refused: NewRequest[] = [];
  const plain: PlainCall[] = [];
  for (const call of calls) {
    const requestId = idsAt(call.at, command.random).prefixed('req');
    const durationMs = seeded.integer(28, 190) / 10;
    if (call.refusal === null) plain.push(plainCallOf(call, requestId, durationMs, options));
    else refused.push(lineOf(command, { ...call, refusal: call.refusal }, requestId, durationMs, options));
  }
  await insertRequests(tx, refused);
  const blocks = groupCalls(plain, (_call, error) => {
    throw error;
  });
  await insertBlocks(tx, blocks, false);
}

/** The create, now and then refused before, and a few reads of the checkout. */
function callsAbout(seeded: Seeded, { id, plan }: PastCheckout, until: number): readonly Call[] {
  const created: Call = { ...CREATE, at: plan.createdAt, status: 201, refusal: null };
  const refused = seeded.chance(0.12) ? [{ ...CREATE, at: plan.createdAt - 2 * MINUTE, ...seeded.pick(REFUSALS) }] : [];
  const read = { ...READ, path: `/v1/checkouts/${id}` };
  const reads = Array.from({ length: seeded.integer(1, 6) }, (): Call => {
    return { ...read, at: plan.createdAt + seeded.integer(1, 240) * MINUTE, status: 200, refusal: null };
  });
  return [...refused, created, ...reads].filter(({ at }) => at <= until);
}

function plainCallOf(call: Call, requestId: string, durationMs: number, options: RequestOptions): PlainCall {
  const { method, path, operation, status } = call;
  const { venueId, mode, keyId } = options;
  return {
    requestId,
    key: { venueId, mode, keyId },
    method,
    url: path,
    operation,
    tool: null,
    status,
    durationMs,
    isReplayed: false,
    address: ADDRESS,
    userAgent: USER_AGENT,
    problem: null,
    body: null,
  };
}

function lineOf(
  { seal }: CommandContext,
  call: Call & { readonly refusal: Refusal },
  requestId: string,
  durationMs: number,
  options: RequestOptions,
): NewRequest {
  const { venueId, mode, keyId } = options;
  const { at, method, path, operation, status, refusal } = call;
  return {
    venue_id: venueId,
    mode,
    request_id: requestId,
    slot: slotOf(at),
    at: at / 1_000,
    key_id: keyId,
    method,
    path,
    route: operation.path,
    operation: operation.id,
    tool: null,
    status,
    code: refusal.code,
    reason: refusal.reason,
    field: refusal.field,
    problem_count: 1,
    replayed: false,
    duration_ms: durationMs,
    address: loggedAddress(ADDRESS),
    user_agent: USER_AGENT,
    failure: seal.seal(failureOf(refusal), sealNameOfRequest(venueId, requestId)).toString('base64'),
  };
}

/** As the log keeps it. */
function failureOf({ code, field, message, body }: Refusal): string {
  const problems = [{ code, field, message, expected: null, exampleFix: null }];
  return JSON.stringify({ message, problems, body, bodyIsCut: false });
}
