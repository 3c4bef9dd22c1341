// What an operator's monitoring reads: how many requests, how long they took, by operation and status; and the process.
// Requests are counted here and not by the package: it looks its series up by their labels at every request, which costs more than
// all else that is done for one after its answer.

import { collectDefaultMetrics, Registry } from 'prom-client';

export interface Metrics {
  /** `operation`: one of ours, a plain word. */
  observe(operation: string, status: number, seconds: number): void;
  text(): Promise<string>;
  readonly contentType: string;
}

const BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const;

/** Of one operation. */
interface Tally {
  /** How many took at most so long, and longer than the bound before; the last are those above all bounds. */
  readonly within: number[];
  readonly byStatus: Map<number, number>;
  seconds: number;
}

export function makeMetrics(): Metrics {
  const register = new Registry();
  collectDefaultMetrics({ register, prefix: 'everyshare_' });
  const tallies = new Map<string, Tally>();
  return {
    observe(operation, status, seconds) {
      let tally = tallies.get(operation);
      if (tally === undefined) {
        tally = { within: new Array<number>(BOUNDS.length + 1).fill(0), byStatus: new Map(), seconds: 0 };
        tallies.set(operation, tally);
      }
      let at = 0;
      for (let bound = BOUNDS[at]; bound !== undefined && seconds > bound; bound = BOUNDS[at]) at += 1;
      tally.within[at] = (tally.within[at] ?? 0) + 1;
      tally.seconds += seconds;
      tally.byStatus.set(status, (tally.byStatus.get(status) ?? 0) + 1);
    },
    text: async () => `${await register.metrics()}\n${[...durations(tallies), ...counts(tallies)].join('\n')}\n`,
    contentType: register.contentType,
  };
}

function durations(tallies: ReadonlyMap<string, Tally>): string[] {
  const name = 'everyshare_http_request_seconds';
  const lines = [`# HELP ${name} How long requests took, by operation.`, `# TYPE ${name} histogram`];
  for (const [operation, { within, seconds }] of tallies) {
    let count = 0;
    for (const [at, more] of within.entries()) {
      count += more;
      lines.push(`${name}_bucket{le="${BOUNDS[at] ?? '+Inf'}",operation=${JSON.stringify(operation)}} ${count}`);
    }
    lines.push(
      `${name}_sum{operation=${JSON.stringify(operation)}} ${seconds}`,
      `${name}_count{operation=${JSON.stringify(operation)}} ${count}`,
    );
  }
  return lines;
}

function counts(tallies: ReadonlyMap<string, Tally>): string[] {
  const name = 'everyshare_http_requests_total';
  const lines = [`# HELP ${name} How many requests were answered, by operation and status.`, `# TYPE ${name} counter`];
  for (const [operation, { byStatus }] of tallies)
    for (const [status, count] of byStatus)
      lines.push(`${name}{operation=${JSON.stringify(operation)},status="${status}"} ${count}`);
  return lines;
}
