// The jobs of the load process: send requests over many connections, and return requests a second.

import { runJob } from './child-jobs.ts';
import type { Processes } from './processes.ts';

export interface LoadJob {
  readonly port: number;
  /** The bytes of complete requests, sent in turn. */
  readonly requests: readonly string[];
  readonly connections: number;
  readonly count: number;
  /** The status that every response must have. */
  readonly status: 200 | 201;
  /** The length of the body that every response must have; null if lengths differ. */
  readonly bodyBytes: number | null;
  /**
   * Sends this many a second whether or not the server keeps up; a request waits for a free connection. Absent: each
   * connection sends its next request when it has the response to the last.
   */
  readonly perSecond?: number;
}

export interface Load {
  /** Sends `count` requests; returns requests a second. Throws on any response with another status or length. */
  send(job: LoadJob): Promise<number>;
  /** The same; returns how long each took in milliseconds, from the moment at which it was due. */
  sendTimed(job: LoadJob): Promise<number[]>;
  /** Warms the server up; returns the number of requests that take about `seconds`. */
  calibrate(job: Omit<LoadJob, 'count'>, warmSeconds: number, seconds: number): Promise<number>;
}

export function startLoadProcess(processes: Processes, script: string): Load {
  const child = processes.start(script, [], {}, true);
  const send = async (job: LoadJob): Promise<number> => {
    const { seconds } = await runJob<{ seconds: number }>(child, job);
    return job.count / seconds;
  };
  return {
    send,
    sendTimed: async (job) => (await runJob<{ times: number[] }>(child, job)).times,
    async calibrate(job, warmSeconds, seconds) {
      const minCount = 2 * job.connections;
      const until = Date.now() + warmSeconds * 1000;
      let rate = await send({ ...job, count: minCount });
      while (Date.now() < until) rate = await send({ ...job, count: Math.max(minCount, Math.round(rate * 0.25)) });
      return Math.max(minCount, Math.round(rate * seconds));
    },
  };
}

export type Headers = Readonly<Record<string, string>>;

/** The bytes of a request to a server on this machine; with a body, its length too. */
export function requestText(method: 'GET' | 'POST', path: string, headers: Headers, body?: string): string {
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  const lines = Object.entries({ host: '127.0.0.1', ...headers, ...length }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  return `${[`${method} ${path} HTTP/1.1`, ...lines].join('\r\n')}\r\n\r\n${body ?? ''}`;
}

/** The bytes of a GET. */
export function getRequest(path: string, key: string): string {
  return requestText('GET', path, { authorization: `Bearer ${key}`, accept: 'application/json' });
}

/** The bytes of a POST of JSON, with an Idempotency-Key unless it is null. */
export function postRequest(path: string, key: string, body: string, idempotencyKey: string | null): string {
  const headers = {
    authorization: `Bearer ${key}`,
    accept: 'application/json',
    ...(idempotencyKey === null ? {} : { 'idempotency-key': idempotencyKey }),
    'content-type': 'application/json',
  };
  return requestText('POST', path, headers, body);
}
