// Takes finished calls of a server and stores them in batches, off the request's path: a call is put into a buffer of bounded
// size after its answer was sent, and is masked when a connection of its own writes the buffer, every second or when a
// batch is full. No request ever waits for it. A line for which there is no room is dropped and counted; while the
// database cannot be reached, lines wait up to that bound. A batch whose outcome is not known is sent again as it was, so
// that its blocks are the same, and a line is stored once.

import { isUnavailable, type Queryable, sqlState } from '../../base/db.ts';
import { timeOfId } from '../../base/ids.ts';
import type { Log } from '../../base/log.ts';
import { MAX_BODY_BYTES } from '../../base/mask-body.ts';
import type { Seal } from '../../base/seal.ts';
import { findKeysByHash, type KeyUse, recordKeyUses } from '../keys/key-use-queries.ts';
import { insertBlocks, type RequestBlock } from './block-queries.ts';
import { groupCalls, isPlain, type PlainCall } from './group-calls.ts';
import { slotOf } from './id-range.ts';
import { insertRequests, type NewRequest } from './queries.ts';
import { type FinishedCall, type LoggedKey, lineOf, type RequestLine } from './request-line.ts';

export interface RequestLogServices {
  /** A connection that requests do not use. */
  readonly db: Queryable;
  readonly seal: Seal;
  readonly log: Log;
  readonly onDropped: (lines: number) => void;
}

const FLUSH_MS = 1_000;
const BATCH_LINES = 500;
const MAX_LINES = 10_000;
const MAX_BYTES = 16 * 1024 * 1024;
/** A call without its texts, and what a failed one has beside its body. */
const CALL_BYTES = 300;
const FAILURE_BYTES = 4 * 1024;
const UNIQUE_VIOLATION = '23505';
/** Calls whose key is looked up when they are stored: those with unknown keys must not fill the buffer. */
const MAX_UNRESOLVED = 500;
/** How long a stop waits for the last lines. */
const CLOSE_MS = 2_000;
const USE_INTERVAL_MS = 60_000;
const MAX_REMEMBERED_USES = 10_000;

type StoredLine = RequestLine & { readonly key: LoggedKey };

export class RequestLog {
  readonly #services: RequestLogServices;
  /** The oldest first; those of the batch that is being written too. */
  #lines: FinishedCall[] = [];
  #bytes = 0;
  #unresolved = 0;
  #timer: NodeJS.Timeout | null = null;
  #writing: Promise<void> | null = null;
  #isClosed = false;
  #isFailing = false;
  /** The batch of the last try, if its outcome is not known: it may be stored already, or a part of it. */
  #unknown: readonly FinishedCall[] | null = null;
  /** When this process last recorded the use of a key. */
  readonly #uses = new Map<string, number>();

  constructor(services: RequestLogServices) {
    this.#services = services;
  }

  /** Never throws and never waits. */
  record(call: FinishedCall): void {
    if (!this.#hasRoom(call)) {
      this.#services.onDropped(1);
      return;
    }
    const kept = call.body === null ? call : { ...call, body: beginningOf(call.body) };
    this.#lines.push(kept);
    this.#bytes += bytesOf(kept);
    if (isUnresolved(kept)) this.#unresolved++;
    this.#schedule();
  }

  /** Writes what is left, within a bound: what cannot be written until then is dropped and counted. */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    let timeout: NodeJS.Timeout | undefined;
    const bound = new Promise<void>((resolve) => {
      timeout = setTimeout(resolve, CLOSE_MS);
    });
    await Promise.race([this.#writeAll(), bound]);
    clearTimeout(timeout);
    const left = this.#lines.length;
    if (left === 0) return;
    this.#services.onDropped(left);
    this.#services.log.warn(
      { lines: left },
      'the server stops, and drops lines of the request log that it could not write',
    );
  }

  #hasRoom({ key }: FinishedCall): boolean {
    if (this.#isClosed || this.#lines.length >= MAX_LINES || this.#bytes >= MAX_BYTES) return false;
    return !('hash' in key) || this.#unresolved < MAX_UNRESOLVED;
  }

  #schedule(): void {
    if (this.#writing !== null) return;
    if (this.#lines.length >= BATCH_LINES && !this.#isFailing) {
      this.#write();
      return;
    }
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      this.#write();
    }, FLUSH_MS).unref();
  }

  #write(): void {
    this.#writing ??= this.#writeBatches(BATCH_LINES).finally(() => {
      this.#writing = null;
      if (this.#lines.length > 0 && !this.#isClosed) this.#schedule();
    });
  }

  async #writeAll(): Promise<void> {
    await this.#writing;
    await this.#writeBatches(1);
  }

  /** At least one batch, and more while so many lines wait. Never rejects. */
  async #writeBatches(minLines: number): Promise<void> {
    for (let isFirst = true; isFirst || this.#lines.length >= minLines; isFirst = false) {
      const batch = this.#unknown ?? this.#lines.slice(0, BATCH_LINES);
      if (batch.length === 0) return;
      try {
        await this.#store(batch);
        this.#isFailing = false;
      } catch (error) {
        if (isUnavailable(error)) {
          this.#unknown = batch;
          this.#reportOutage(error);
          return;
        }
        this.#services.onDropped(batch.length);
        this.#services.log.error({ err: error, lines: batch.length }, 'the request log dropped lines it cannot write');
      }
      this.#unknown = null;
      this.#remove(batch);
    }
  }

  /** Once for an outage, not once a second. */
  #reportOutage(error: unknown): void {
    if (!this.#isFailing)
      this.#services.log.warn({ err: error }, 'the request log cannot be written; the server tries again each second');
    this.#isFailing = true;
  }

  #remove(batch: readonly FinishedCall[]): void {
    this.#lines = this.#lines.slice(batch.length);
    for (const line of batch) {
      this.#bytes -= bytesOf(line);
      if (isUnresolved(line)) this.#unresolved--;
    }
  }

  async #store(batch: readonly FinishedCall[]): Promise<void> {
    const plain = batch.filter((call): call is PlainCall => isPlain(call));
    const blocks = groupCalls(plain, (call, error) => this.#dropOne(call, error));
    if (blocks.length > 0) await this.#storeBlocks(blocks);
    const others = plain.length === batch.length ? [] : batch.filter((call) => !isPlain(call));
    const lines = others.length === 0 ? [] : await this.#resolve(this.#linesOf(others));
    if (lines.length > 0) {
      await insertRequests(
        this.#services.db,
        lines.map((line) => newRequest(this.#services.seal, line)),
      );
    }
    const uses = this.#dueUses(blocks, lines);
    if (uses.length === 0) return;
    await recordKeyUses(this.#services.db, uses);
    if (this.#uses.size + uses.length > MAX_REMEMBERED_USES) this.#uses.clear();
    for (const { keyId, at } of uses) this.#uses.set(keyId, at);
  }

  /** Masked. A call that cannot be masked is dropped alone. */
  #linesOf(calls: readonly FinishedCall[]): RequestLine[] {
    return calls.flatMap((call) => {
      try {
        return [lineOf(call)];
      } catch (error) {
        this.#dropOne(call, error);
        return [];
      }
    });
  }

  #dropOne({ requestId }: FinishedCall, error: unknown): void {
    this.#services.onDropped(1);
    this.#services.log.error({ request_id: requestId, err: error }, 'the request log could not take a call');
  }

  async #storeBlocks(blocks: readonly RequestBlock[]): Promise<void> {
    try {
      await insertBlocks(this.#services.db, blocks, this.#unknown !== null);
    } catch (error) {
      if (sqlState(error) !== UNIQUE_VIOLATION) throw error;
      await insertBlocks(this.#services.db, blocks, true);
    }
  }

  /** The lines whose key is known. A call with an unknown key belongs to no venue, and is not kept. */
  async #resolve(batch: readonly RequestLine[]): Promise<StoredLine[]> {
    const hashes = new Set(batch.flatMap(({ key }) => ('hash' in key ? [key.hash] : [])));
    const found =
      hashes.size === 0
        ? []
        : await findKeysByHash(
            this.#services.db,
            [...hashes].map((hash) => Buffer.from(hash, 'latin1')),
          );
    const keys = new Map<string, LoggedKey>(
      found.map(({ hash, venue_id: venueId, mode, id: keyId }) => [hash.toString('latin1'), { venueId, mode, keyId }]),
    );
    if (hashes.size === 0) return batch.filter(isResolved);
    return batch.flatMap((line) => {
      const key = 'hash' in line.key ? keys.get(line.key.hash) : line.key;
      return key === undefined ? [] : [{ ...line, key }];
    });
  }

  /** The last use of each key, of those that were not recorded in the last minute. */
  #dueUses(blocks: readonly RequestBlock[], lines: readonly StoredLine[]): KeyUse[] {
    const uses = new Map<string, KeyUse>();
    const add = (use: KeyUse): void => {
      const { keyId, at } = use;
      if (at - (this.#uses.get(keyId) ?? 0) < USE_INTERVAL_MS || at < (uses.get(keyId)?.at ?? 0)) return;
      uses.set(keyId, use);
    };
    for (const { venue_id: venueId, key_id: keyId, last_id: lastId, address } of blocks)
      add({ venueId, keyId, at: timeOfId(lastId), address });
    for (const { requestId, key, status, address } of lines) {
      if (status === 401 || status === 403) continue;
      add({ venueId: key.venueId, keyId: key.keyId, at: timeOfId(requestId), address });
    }
    return [...uses.values()];
  }
}

function isResolved(line: RequestLine): line is StoredLine {
  return !('hash' in line.key);
}

function isUnresolved({ key }: FinishedCall): boolean {
  return 'hash' in key;
}

function bytesOf({ url, problem, body }: FinishedCall): number {
  return CALL_BYTES + url.length + (problem === null ? 0 : FAILURE_BYTES) + (body?.length ?? 0);
}

/** A copy, so that a large body is not kept. One byte more than is shown says that it was longer. */
function beginningOf(body: Buffer): Buffer {
  return body.length <= MAX_BODY_BYTES ? body : Buffer.from(body.subarray(0, MAX_BODY_BYTES + 1));
}

/** The name that the sealed part of a line is bound to. */
export function sealNameOfRequest(venueId: string, requestId: string): string {
  return `request ${venueId} ${requestId}`;
}

function newRequest(seal: Seal, line: StoredLine): NewRequest {
  const { venueId, mode, keyId } = line.key;
  const ms = timeOfId(line.requestId);
  return {
    venue_id: venueId,
    mode,
    request_id: line.requestId,
    slot: slotOf(ms),
    at: ms / 1000,
    key_id: keyId,
    method: line.method,
    path: line.path,
    route: line.route,
    operation: line.operation,
    tool: line.tool,
    status: line.status,
    code: line.code,
    reason: line.reason,
    field: line.field,
    problem_count: line.problemCount,
    replayed: line.replayed,
    duration_ms: line.durationMs,
    address: line.address,
    user_agent: line.userAgent,
    failure:
      line.failure === null
        ? null
        : seal.seal(line.failure, sealNameOfRequest(venueId, line.requestId)).toString('base64'),
  };
}
