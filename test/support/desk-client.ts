// Operators at the desk, for tests.

import { setOperator } from '../../src/domain/accounts/operator-queries.ts';
import type { OperatorRole } from '../../src/domain/accounts/operator-roles.ts';
import type { AppContext } from '../../src/run/context.ts';
import { callConsole, createAccount, createSession } from './console-client.ts';
import type { HttpResponse, TestWorld } from './test-world.ts';

let operators = 0;

export interface TestOperator {
  readonly accountId: string;
  readonly sessionId: string;
  readonly token: string;
  readonly email: string;
}

/** An operator who has just signed in. */
export async function createOperator(context: AppContext, role: OperatorRole): Promise<TestOperator> {
  const email = `${role}${operators++}@desk.example`;
  const accountId = await createAccount(context, email);
  await setOperator(context.db, { accountId, role, now: context.clock.now() });
  const { id: sessionId, token } = await createSession(context, accountId);
  return { accountId, sessionId, token, email };
}

/** Calls of one operator. */
export function deskOf(world: TestWorld, { token }: TestOperator) {
  return (method: string, path: string, body?: object): Promise<HttpResponse> =>
    callConsole(world, method, `/desk/api${path}`, { token, ...(body === undefined ? {} : { body }) });
}
