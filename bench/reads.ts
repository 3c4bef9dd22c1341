// Reading with keys, as the benches of reads do it: what one answer looks like, load on one server, and the check that
// the limit counted every single call of it.

import type { Db } from '../src/base/db.ts';
import { getRequest, type Order } from './load.ts';
import type { Stage } from './stage.ts';

export const CONNECTIONS = 48;

export interface Reader {
  /** One round: requests a second. */
  round(): Promise<number>;
}

/** Reads `path` in turn with each of the keys. `counted`: the server counts calls, and must have counted all. */
export async function makeReader(
  stage: Stage,
  wish: {
    readonly port: number;
    readonly path: string;
    readonly keys: readonly string[];
    readonly length: number;
    readonly counted: boolean;
    /** 48, unless an answer takes so long that fewer keep the server busy. */
    readonly connections?: number;
    /** Seconds, where the two sides are processes of their own and must be equally warm. */
    readonly warm?: number;
  },
): Promise<Reader> {
  const requests = wish.keys.map((key) => getRequest(wish.path, key));
  const order: Omit<Order, 'count'> = {
    port: wish.port,
    requests,
    connections: wish.connections ?? CONNECTIONS,
    status: 200,
    length: wish.length,
  };
  const count = await stage.load.calibrate(order, wish.warm ?? stage.seconds.warm, stage.seconds.round);
  return {
    async round() {
      const before = wish.counted ? await callsCounted(stage.db) : 0;
      const rate = await stage.load.send({ ...order, count });
      const more = wish.counted ? (await callsCounted(stage.db)) - before : count;
      if (more !== count) throw new Error(`the limit counted ${more} calls of ${count}`);
      return rate;
    },
  };
}

export async function callsCounted(db: Db): Promise<number> {
  const rows = await db.query<{ total: number }>('select coalesce(sum(total), 0)::bigint as total from limit_windows');
  return rows[0]?.total ?? 0;
}

export async function readOnce(port: number, path: string, key: string): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { authorization: `Bearer ${key}` } });
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(`GET ${path} answered ${answer.status}: ${text.slice(0, 300)}`);
  const type = answer.headers.get('content-type');
  if (type !== 'application/json; charset=utf-8') throw new Error(`GET ${path} answered ${type}`);
  return text;
}
