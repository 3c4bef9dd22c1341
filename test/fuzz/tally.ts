// How many requests each operation and address got, what they were answered, and how many got through: whether the run went as
// deep as it went wide.

import type { Answer } from './send.ts';

interface Row {
  requests: number;
  taken: number;
  slowest: number;
  readonly statuses: Map<number, number>;
}

export class Tally {
  readonly #rows = new Map<string, Row>();

  /** What has to be asked, whether or not it ever is. */
  expect(labels: readonly string[]): void {
    for (const label of labels) this.#row(label);
  }

  #row(label: string): Row {
    const row = this.#rows.get(label) ?? { requests: 0, taken: 0, slowest: 0, statuses: new Map<number, number>() };
    this.#rows.set(label, row);
    return row;
  }

  count(label: string, { status, ms }: Answer, isTaken: boolean): void {
    const row = this.#row(label);
    row.requests++;
    if (isTaken) row.taken++;
    row.slowest = Math.max(row.slowest, ms);
    row.statuses.set(status, (row.statuses.get(status) ?? 0) + 1);
  }

  /** Those that got no request at all. */
  get untried(): string[] {
    return [...this.#rows].filter(([, { requests }]) => requests === 0).map(([label]) => label);
  }

  /** Those of which nothing was ever taken. */
  get neverTaken(): string[] {
    return [...this.#rows].filter(([, { taken }]) => taken === 0).map(([label]) => label);
  }

  get slowest(): number {
    return Math.max(0, ...[...this.#rows.values()].map((row) => row.slowest));
  }

  get all(): Row {
    const all: Row = { requests: 0, taken: 0, slowest: this.slowest, statuses: new Map() };
    for (const row of this.#rows.values()) {
      all.requests += row.requests;
      all.taken += row.taken;
      for (const [status, count] of row.statuses) all.statuses.set(status, (all.statuses.get(status) ?? 0) + count);
    }
    return all;
  }

  table(): string {
    const rows = [...this.#rows, ['all', this.all] as const].filter(([, { requests }]) => requests > 0);
    const width = Math.max(...rows.map(([label]) => label.length));
    return rows.map(([label, row]) => line(label.padEnd(width), row)).join('\n');
  }
}

function line(label: string, row: Row): string {
  const statuses = [...row.statuses]
    .sort(([a], [b]) => a - b)
    .map(([status, count]) => `${status || 'closed'}×${count}`);
  const share = `${Math.round((100 * row.taken) / row.requests)}%`;
  return `${label}  ${String(row.requests).padStart(7)}  ${share.padStart(4)} taken  ${String(Math.round(row.slowest)).padStart(6)} ms at most  ${statuses.join(' ')}`;
}
