// Orders load from the process that makes it, and turns what it saw into requests a second.

import type { Processes, Running } from './processes.ts';

export interface Order {
  readonly port: number;
  /** Whole requests as they go over the wire, sent in turn. */
  readonly requests: readonly string[];
  readonly connections: number;
  readonly count: number;
  /** Bytes of the body that every answer must have. */
  readonly length: number;
}

export interface Outcome {
  readonly seconds: number;
  readonly fault: string | null;
}

export interface Load {
  /** Sends `count` requests; gives requests a second. Anything but a right answer is an error. */
  send(order: Order): Promise<number>;
  /** Warms the server up, and gives the number of requests that take it about this long. */
  calibrate(order: Omit<Order, 'count'>, warmSeconds: number, seconds: number): Promise<number>;
}

const LEAST = 500;

export function startLoad(processes: Processes, script: string): Load {
  const one = processes.start(script, [], {}, true);
  const send = async (order: Order): Promise<number> => {
    const outcome = await ask(one, order);
    if (outcome.fault !== null) throw new Error(outcome.fault);
    return order.count / outcome.seconds;
  };
  return {
    send,
    async calibrate(order, warmSeconds, seconds) {
      const until = Date.now() + warmSeconds * 1000;
      let rate = await send({ ...order, count: LEAST });
      while (Date.now() < until) rate = await send({ ...order, count: Math.max(LEAST, Math.round(rate * 0.25)) });
      return Math.max(LEAST, Math.round(rate * seconds));
    },
  };
}

function ask({ process: load, complaints }: Running, order: Order): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const ended = (): void => reject(new Error(`the load process ended: ${complaints()}`));
    load.once('exit', ended);
    load.once('message', (outcome) => {
      load.off('exit', ended);
      resolve(outcome as Outcome);
    });
    load.send(order);
  });
}

/** A GET as it goes over the wire. */
export function getRequest(path: string, key: string): string {
  return `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${key}\r\naccept: application/json\r\n\r\n`;
}
