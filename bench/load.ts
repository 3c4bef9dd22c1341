// Orders load from the process that makes it, and turns what it saw into requests a second.

import { ask } from './asking.ts';
import type { Processes } from './processes.ts';

export interface Order {
  readonly port: number;
  /** Whole requests as they go over the wire, sent in turn. */
  readonly requests: readonly string[];
  readonly connections: number;
  readonly count: number;
  /** The status that every answer must have. */
  readonly status: 200 | 201;
  /** Bytes of the body that every answer must have; null: answers differ. */
  readonly length: number | null;
}

export interface Load {
  /** Sends `count` requests; gives requests a second. Anything but a right answer is an error. */
  send(order: Order): Promise<number>;
  /** Warms the server up, and gives the number of requests that take it about this long. */
  calibrate(order: Omit<Order, 'count'>, warmSeconds: number, seconds: number): Promise<number>;
}

export function startLoad(processes: Processes, script: string): Load {
  const one = processes.start(script, [], {}, true);
  const send = async (order: Order): Promise<number> => {
    const { seconds } = await ask<{ seconds: number }>(one, order);
    return order.count / seconds;
  };
  return {
    send,
    async calibrate(order, warmSeconds, seconds) {
      const least = 2 * order.connections;
      const until = Date.now() + warmSeconds * 1000;
      let rate = await send({ ...order, count: least });
      while (Date.now() < until) rate = await send({ ...order, count: Math.max(least, Math.round(rate * 0.25)) });
      return Math.max(least, Math.round(rate * seconds));
    },
  };
}

/** A GET as it goes over the wire. */
export function getRequest(path: string, key: string): string {
  return `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${key}\r\naccept: application/json\r\n\r\n`;
}

/** A POST of JSON as it goes over the wire. `idempotencyKey`: none, when it is null. */
export function postRequest(path: string, key: string, body: string, idempotencyKey: string | null): string {
  const once = idempotencyKey === null ? '' : `idempotency-key: ${idempotencyKey}\r\n`;
  return (
    `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${key}\r\naccept: application/json\r\n${once}` +
    `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  );
}
