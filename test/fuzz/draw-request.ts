// Draws the request with a given number: seed and number always give the same request. Operations and pages are used in
// turn, so that a short run reaches all of them too.

import { SeededRandom } from '../support/seeded-random.ts';
import { drawHookRequest, drawNoticeRequest } from './hook-requests.ts';
import { drawOperationRequest } from './operation-requests.ts';
import { drawPageRequest } from './page-requests.ts';
import type { RequestContext } from './request-draft.ts';
import type { Request } from './send.ts';
import { drawSocketRequest } from './socket-requests.ts';
import { drawToolRequest } from './tool-requests.ts';

export type SharedContext = Omit<RequestContext, 'number' | 'random'>;

/** Of ten requests, the first seven go to operations and the last one to a page; the others go to everything else. */
const OPERATIONS_OF_TEN = 7;
const PAGE_OF_TEN = 9;
/** How often each operation gets a valid request first, so that whether one is accepted does not depend on the others. */
const VALID_ROUNDS = 5;

export function drawRequest(seed: number, number: number, shared: SharedContext, hooksOnly = false): Request {
  const random = new SeededRandom(seed, `request ${number}`);
  const context: RequestContext = { ...shared, number, random };
  if (hooksOnly) return drawHookRequest(context);
  if (number % 10 < OPERATIONS_OF_TEN) {
    const { operations } = shared.contract;
    const turn = Math.floor(number / 10) * OPERATIONS_OF_TEN + (number % 10);
    const operation = operations[turn % operations.length];
    if (operation === undefined) throw new Error('the document has no operations');
    if (operation.id === 'callTool') return drawToolRequest(context);
    if (operation.id === 'receiveHook') return drawHookRequest(context);
    return drawOperationRequest(context, operation, turn < VALID_ROUNDS * operations.length);
  }
  if (number % 10 === PAGE_OF_TEN) return drawPageRequest(context, Math.floor(number / 10));
  const sendOk = random.weighed([
    [30, drawToolRequest],
    [24, drawHookRequest],
    [8, drawNoticeRequest],
    [5, drawSocketRequest],
  ]);
  return sendOk(context);
}
