// Every operation of the desk and every kind of caller: a partner's session, a key, another origin, an old session, a role
// without the right and a missing step-up are refused, each in the same way everywhere, and nothing is written.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  OPERATOR_ROLES,
  OPERATOR_ROLES_OF_WRITES,
  type OperatorRole,
} from '../../src/domain/accounts/operator-roles.ts';
import type { AppOperation } from '../../src/run/app-operation.ts';
import { operations } from '../../src/run/operations.ts';
import { type ConsoleCall, callConsole, createAccount, createSession } from '../support/console-client.ts';
import { createOperator } from '../support/desk-client.ts';
import { type HttpResponse, openTestWorld, type TestWorld } from '../support/test-world.ts';
import { digestDatabase } from './isolation-fixture.ts';
import { pathWith } from './requests.ts';

const atDesk = operations.filter(({ audience }) => audience === 'desk');
const byId = (list: readonly AppOperation[]) => list.map((operation) => [operation.id, operation] as const);
const UNKNOWN_ID = '0197f2c4-6a10-7c3e-9b1d-5f2a8c4e7d10';

let world: TestWorld;
let venue: string;
let secretKey: string;
const tokens = {} as Record<OperatorRole | 'owner' | 'ended' | 'removed' | 'stale' | 'forged', string>;
let digestBefore: Record<string, string>;
beforeAll(async () => {
  world = await openTestWorld({ env: { TRUSTED_PROXIES: '127.0.0.1' } });
  venue = (await world.venue()).venue.id;
  secretKey = (await world.key(venue)).key;
  for (const role of OPERATOR_ROLES) tokens[role] = (await createOperator(world.context, role)).token;
  const owner = await createAccount(world.context, 'owner@harbor.example', [[venue, 'owner']]);
  tokens.owner = (await createSession(world.context, owner)).token;
  tokens.forged = 'A'.repeat(43);
  const ended = await createOperator(world.context, 'admin');
  tokens.ended = ended.token;
  await world.db.query("update account_sessions set ended_at = now() - interval '1 second' where session_id = $1", [
    ended.sessionId,
  ]);
  const stale = await createOperator(world.context, 'admin');
  tokens.stale = stale.token;
  await world.db.query("update account_sessions set created_at = now() - interval '11 minutes' where session_id = $1", [
    stale.sessionId,
  ]);
  const removed = await createOperator(world.context, 'admin');
  tokens.removed = removed.token;
  await world.db.query('delete from operators where account_id = $1', [removed.accountId]);
  digestBefore = await digestDatabase(world.db);
});
afterAll(() => world.close());

let callers = 0;

/** Names objects that do not exist and sends no valid body, so that an authorized call changes nothing. */
async function call(operation: AppOperation, options: ConsoleCall): Promise<HttpResponse> {
  const number = callers++ % 60_000;
  return callConsole(
    world,
    operation.method,
    pathWith(operation.path, { 'path id': UNKNOWN_ID, 'path venue_id': UNKNOWN_ID }),
    {
      ...(operation.method === 'POST' ? { body: operation.body === undefined ? { unexpected: 1 } : '' } : {}),
      ...options,
      headers: { 'x-forwarded-for': `203.${number >> 8}.${number & 255}.9`, ...options.headers },
    },
  );
}

const outcomeOf = ({ status, json }: HttpResponse) => [status, json?.error?.code];
const textOf = ({ text }: HttpResponse): string => text.replace(/"request_id":"[^"]*"/, '');

describe('every operation of the desk', () => {
  it.each(byId(atDesk))('%s is under /desk/api, for the session of an operator', (_id, { path, auth }) => {
    expect([path.startsWith('/desk/api/'), auth]).toEqual([true, 'desk']);
  });

  it.each(byId(atDesk))('%s refuses a session that is not from our own origin', async (_id, operation) => {
    const headers = [{ origin: 'https://harbor.example' }, { origin: 'null' }, { 'sec-fetch-site': 'cross-site' }];
    for (const one of headers as Record<string, string>[]) {
      const response = await call(operation, { token: tokens.admin, headers: one });
      expect(outcomeOf(response), JSON.stringify(one)).toEqual([403, 'origin_not_allowed']);
    }
  });

  it.each(byId(atDesk))('%s refuses a key, no session, and one that is over, alike', async (_id, operation) => {
    const authorization = `Bearer ${secretKey}`;
    const responses = [
      await call(operation, {}),
      await call(operation, { headers: { authorization } }),
      await call(operation, { token: tokens.admin, headers: { authorization } }),
      await call(operation, { headers: { authorization: `Bearer ${world.operatorToken}` } }),
      await call(operation, { token: tokens.forged }),
      await call(operation, { token: tokens.ended }),
    ];
    expect(responses.map(outcomeOf)).toEqual(responses.map(() => [401, 'unauthorized']));
    expect(new Set(responses.map(textOf)).size).toBe(1);
  });

  it.each(byId(atDesk))('%s refuses an owner of a venue and a former operator alike', async (_id, operation) => {
    const responses = [
      await call(operation, { token: tokens.owner }),
      await call(operation, { token: tokens.owner, venue }),
      await call(operation, { token: tokens.removed }),
    ];
    expect(responses.map(outcomeOf)).toEqual(responses.map(() => [403, 'role_not_allowed']));
    expect(new Set(responses.map(textOf)).size).toBe(1);
  });

  it.each(byId(atDesk))('%s is for the roles that the contract names', async (_id, operation) => {
    for (const role of OPERATOR_ROLES) {
      const response = await call(operation, { token: tokens[role] });
      if (isAllowed(operation, role))
        expect([200, 400, 404, 409, 422], `${role}: ${response.text}`).toContain(response.status);
      else expect(outcomeOf(response), role).toEqual([403, 'role_not_allowed']);
    }
  });

  it.each(byId(atDesk.filter(({ stepUp }) => stepUp !== undefined)))(
    '%s needs a code of the last ten minutes',
    async (_id, operation) => {
      expect(outcomeOf(await call(operation, { token: tokens.stale }))).toEqual([403, 'step_up_required']);
    },
  );

  it('asks for a fresh code wherever money moves, a fee or limit changes, or a venue is suspended', () => {
    const guarded = atDesk.filter(({ stepUp }) => stepUp === 'always').map(({ id }) => id);
    expect(guarded.sort()).toEqual(STEPPED_UP);
  });

  it('has changed nothing in the database', async () => {
    expect(await digestDatabase(world.db)).toEqual(digestBefore);
  });
});

const STEPPED_UP: readonly string[] = [
  'approveVenue',
  'giveBackReserved',
  'oweReversal',
  'payByHand',
  'raiseLimits',
  'requestReconcile',
  'reserveForPaymentByHand',
  'resumeVenue',
  'retryCapture',
  'retryMovement',
  'setVenueFee',
  'suspendVenue',
  'writeOffDebt',
];
const REVIEWS = ['approveReview', 'rejectReview', 'takeDownReview', 'reopenReview'];
const MONEY: readonly string[] = [
  'requestReconcile',
  'retryCapture',
  'retryMovement',
  'reserveForPaymentByHand',
  'giveBackReserved',
  'payByHand',
  'oweReversal',
  'writeOffDebt',
  'setVenueFee',
];
/** A support person may look at a venue as its people see it: that is a read. */
const OF_EVERY_ROLE: readonly string[] = ['viewVenue'];

/** By the contract: reads for all, reviews for reviewers, money for finance, everything for admins. */
function isAllowed({ id, effect }: AppOperation, role: OperatorRole): boolean {
  if (effect === 'read' || role === 'admin' || OF_EVERY_ROLE.includes(id)) return true;
  if (role === 'reviewer') return REVIEWS.includes(id);
  return role === 'finance' && MONEY.includes(id);
}

describe('the table of operator roles', () => {
  it('names every write of the desk, and nothing else', () => {
    const writes = atDesk.filter(({ effect }) => effect === 'write').map(({ id }) => id);
    expect(Object.keys(OPERATOR_ROLES_OF_WRITES).sort()).toEqual(writes.sort());
  });
});
