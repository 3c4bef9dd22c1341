// Load of reads for the benches that read with keys: one response to compare with, load on one server, and the check
// that the rate limit counted every call.

import type { Db } from '../src/base/db.ts';
import type { BenchFixture } from './fixture.ts';
import { getRequest, type LoadJob } from './load.ts';

export const CONNECTIONS = 48;

export interface Reader {
  /** Runs one round; returns requests a second. */
  round(): Promise<number>;
}

/** Reads `path` with each of the keys in turn. */
export async function makeReader(
  fixture: BenchFixture,
  load: {
    readonly port: number;
    readonly path: string;
    readonly keys: readonly string[];
    /** Bytes of every response's body. */
    readonly bodyBytes: number;
    /** The server counts calls; the reader checks that it counted all. */
    readonly isCounted: boolean;
    /** 48 by default; less where slow responses keep the server busy with fewer. */
    readonly connections?: number;
    /** For sides in separate processes, which must be equally warm. */
    readonly warmSeconds?: number;
  },
): Promise<Reader> {
  const requests = load.keys.map((key) => getRequest(load.path, key));
  const job: Omit<LoadJob, 'count'> = {
    port: load.port,
    requests,
    connections: load.connections ?? CONNECTIONS,
    status: 200,
    bodyBytes: load.bodyBytes,
  };
  const count = await fixture.load.calibrate(job, load.warmSeconds ?? fixture.seconds.warm, fixture.seconds.round);
  return {
    async round() {
      const before = load.isCounted ? await callsCounted(fixture.db) : 0;
      const rate = await fixture.load.send({ ...job, count });
      const counted = load.isCounted ? (await callsCounted(fixture.db)) - before : count;
      if (counted !== count) throw new Error(`the limit counted ${counted} calls of ${count}`);
      return rate;
    },
  };
}

export async function callsCounted(db: Db): Promise<number> {
  const rows = await db.query<{ total: number }>('select coalesce(sum(total), 0)::bigint as total from limit_windows');
  return rows[0]?.total ?? 0;
}

export async function readOnce(port: number, path: string, key: string): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { authorization: `Bearer ${key}` } });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`GET ${path} answered ${response.status}: ${text.slice(0, 300)}`);
  const type = response.headers.get('content-type');
  if (type !== 'application/json; charset=utf-8') throw new Error(`GET ${path} answered ${type}`);
  return text;
}
