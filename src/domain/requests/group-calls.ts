// Calls without a problem, which nearly all are, in the form in which they are stored: what many have in common once, and
// of each the rest.

import { timeOfId } from '../../base/ids.ts';
import { loggedPath } from './logged-path.ts';
import { type RequestHead, type ShortRequests, slotOf } from './queries.ts';
import { type FinishedCall, type LoggedKey, loggedAddress, loggedDuration, loggedUserAgent } from './request-line.ts';

/** A call whose key is known and that left no problem to show. */
export type PlainCall = FinishedCall & { readonly key: LoggedKey };

export function isPlain({ key, problem }: FinishedCall): boolean {
  return problem === null && !('hash' in key);
}

/** `onBad` is called with a call that cannot be masked: it is dropped alone. */
export function groupCalls(
  calls: readonly PlainCall[],
  onBad: (call: PlainCall, error: unknown) => void,
): ShortRequests {
  const heads = new HeadList();
  const short = { ids: [] as string[], seconds: [] as number[], paths: [] as string[], durations: [] as number[] };
  const places: number[] = [];
  for (const call of calls) {
    try {
      const path = loggedPath(call.url, call.operation);
      const ms = timeOfId(call.requestId);
      places.push(heads.placeOf(call, slotOf(ms)));
      short.ids.push(call.requestId);
      short.seconds.push(ms / 1000);
      short.paths.push(path);
      short.durations.push(loggedDuration(call.durationMs));
    } catch (error) {
      onBad(call, error);
    }
  }
  return { ...short, heads: heads.all, places };
}

/** The heads of a batch. Most calls have the head of another one, so a head is looked for by its key, and made once. */
class HeadList {
  readonly all: RequestHead[] = [];
  /** The call from which each head was made. */
  readonly #models: PlainCall[] = [];
  readonly #placesByKey = new Map<string, number[]>();

  placeOf(call: PlainCall, slot: number): number {
    const { keyId } = call.key;
    let places = this.#placesByKey.get(keyId);
    if (places === undefined) {
      places = [];
      this.#placesByKey.set(keyId, places);
    }
    for (const place of places) {
      if (this.all[place]?.slot === slot && hasSameHead(this.#models[place] as PlainCall, call)) return place;
    }
    const place = this.all.push(headOf(call, slot)) - 1;
    this.#models.push(call);
    places.push(place);
    return place;
  }
}

/** Of two calls with one key. */
function hasSameHead(a: PlainCall, b: PlainCall): boolean {
  return (
    a.operation === b.operation &&
    a.status === b.status &&
    a.address === b.address &&
    a.userAgent === b.userAgent &&
    a.method === b.method &&
    a.isReplayed === b.isReplayed &&
    a.tool?.name === b.tool?.name &&
    a.tool?.operation === b.tool?.operation
  );
}

function headOf(call: PlainCall, slot: number): RequestHead {
  const { key, method, operation, tool, status, isReplayed, address, userAgent } = call;
  return {
    venue_id: key.venueId,
    mode: key.mode,
    slot,
    key_id: key.keyId,
    method,
    route: operation?.path ?? null,
    operation: tool?.operation ?? operation?.id ?? null,
    tool: tool?.name ?? null,
    status,
    replayed: isReplayed,
    address: loggedAddress(address),
    user_agent: loggedUserAgent(userAgent),
  };
}
