// Calls without a failure, which nearly all are, in the form in which they are stored: blocks of calls of one minute that
// have all but id, time and path in common.

import { timeOfId } from '../../base/ids.ts';
import type { RequestBlock } from './block-queries.ts';
import { minuteOf, slotOf } from './id-range.ts';
import { loggedPath } from './logged-path.ts';
import { type FinishedCall, type LoggedKey, loggedAddress, loggedDuration, loggedUserAgent } from './request-line.ts';

/** A call whose key is known and that succeeded. */
export type PlainCall = FinishedCall & { readonly key: LoggedKey };

export function isPlain({ key, problem, status }: FinishedCall): boolean {
  return problem === null && status < 400 && !('hash' in key);
}

interface OpenBlock {
  /** The call from which the block was made. */
  readonly model: PlainCall;
  /** The ids of its minute: from the first one on, and before the second one. */
  readonly minute: readonly [first: string, next: string];
  firstId: string;
  lastId: string;
  lineCount: number;
  lines: string;
}

/** The same calls give the same blocks. `onBad` is called with a call that cannot be masked: it is dropped alone. */
export function groupCalls(
  calls: readonly PlainCall[],
  onBad: (call: PlainCall, error: unknown) => void,
): RequestBlock[] {
  const blocks: OpenBlock[] = [];
  const blocksByKey = new Map<string, OpenBlock[]>();
  for (const call of calls) {
    try {
      const { requestId, key } = call;
      const line = `${requestId} ${loggedDuration(call.durationMs)} ${loggedPath(call.url, call.operation)}`;
      let ofKey = blocksByKey.get(key.keyId);
      if (ofKey === undefined) {
        ofKey = [];
        blocksByKey.set(key.keyId, ofKey);
      }
      const block = ofKey.find((one) => belongsTo(call, one));
      if (block !== undefined) addLine(block, requestId, line);
      else {
        const made = openBlock(call, line);
        ofKey.push(made);
        blocks.push(made);
      }
    } catch (error) {
      onBad(call, error);
    }
  }
  return blocks.map(closedBlock);
}

function addLine(block: OpenBlock, id: string, line: string): void {
  block.lines += `\n${line}`;
  block.lineCount++;
  if (id < block.firstId) block.firstId = id;
  else if (id > block.lastId) block.lastId = id;
}

function openBlock(model: PlainCall, lines: string): OpenBlock {
  const { requestId } = model;
  const minute = minuteOf(timeOfId(requestId));
  return { model, minute, firstId: requestId, lastId: requestId, lineCount: 1, lines };
}

/** Of a call and a block with one key. */
function belongsTo(call: PlainCall, { model, minute }: OpenBlock): boolean {
  return (
    model.operation === call.operation &&
    model.status === call.status &&
    model.address === call.address &&
    model.userAgent === call.userAgent &&
    model.method === call.method &&
    model.isReplayed === call.isReplayed &&
    model.tool?.name === call.tool?.name &&
    model.tool?.operation === call.tool?.operation &&
    call.requestId >= minute[0] &&
    call.requestId < minute[1]
  );
}

function closedBlock({ model, firstId, lastId, lineCount, lines }: OpenBlock): RequestBlock {
  const { key, method, operation, tool, status, isReplayed, address, userAgent } = model;
  return {
    venue_id: key.venueId,
    mode: key.mode,
    slot: slotOf(timeOfId(lastId)),
    first_id: firstId,
    last_id: lastId,
    line_count: lineCount,
    key_id: key.keyId,
    method,
    route: operation?.path ?? null,
    operation: tool?.operation ?? operation?.id ?? null,
    tool: tool?.name ?? null,
    status,
    replayed: isReplayed,
    address: loggedAddress(address),
    user_agent: loggedUserAgent(userAgent),
    lines,
  };
}
