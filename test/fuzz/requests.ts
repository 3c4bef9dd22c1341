// Which request has which number: the same seed and number make the same one about the same places of a fixture, for ever. The
// operations of the document take turns, and so do the pages, so that none is left out however few requests there are.

import { SeededRandom } from '../support/seeded-random.ts';
import { askHook, askNotice } from './ask-hook.ts';
import { askOperation } from './ask-operation.ts';
import { askPage } from './ask-page.ts';
import { askTools } from './ask-tools.ts';
import { askWire } from './ask-wire.ts';
import type { RequestContext } from './draw.ts';
import type { Request } from './send.ts';

export type Around = Omit<RequestContext, 'number' | 'random'>;

/** Of ten requests, these many go to the operations in turn, the last one to a page in turn; the rest to everything else. */
const OF_TEN = 7;
const PAGE = 9;

export function requestOf(seed: number, number: number, around: Around): Request {
  const random = new SeededRandom(seed, `request ${number}`);
  const drawing: RequestContext = { ...around, number, random };
  if (number % 10 < OF_TEN) {
    const { operations } = around.contract;
    const turn = Math.floor(number / 10) * OF_TEN + (number % 10);
    const operation = operations[turn % operations.length];
    if (operation === undefined) throw new Error('the document has no operations');
    if (operation.id === 'callTool') return askTools(drawing);
    return operation.id === 'receiveHook' ? askHook(drawing) : askOperation(drawing, operation);
  }
  if (number % 10 === PAGE) return askPage(drawing, Math.floor(number / 10));
  const ask = random.weighed([
    [30, askTools],
    [24, askHook],
    [8, askNotice],
    [5, askWire],
  ]);
  return ask(drawing);
}
