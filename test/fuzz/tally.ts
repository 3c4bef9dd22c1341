// How many requests each operation and address got, what they were answered, and how many got through: whether the run went as
// deep as it went wide.

import type { Answer } from './send.ts';

interface Row {
  requests: number;
  slowest: number;
  readonly statuses: Map<number, number>;
}

export class Tally {
  readonly #rows = new Map<string, Row>();

  constructor(labels: readonly string[]) {
    for (const label of labels) this.#row(label);
  }

  #row(label: string): Row {
    const row = this.#rows.get(label) ?? { requests: 0, slowest: 0, statuses: new Map<number, number>() };
    this.#rows.set(label, row);
    return row;
  }

  count(label: string, { status, ms }: Answer): void {
    const row = this.#row(label);
    row.requests++;
    row.slowest = Math.max(row.slowest, ms);
    row.statuses.set(status, (row.statuses.get(status) ?? 0) + 1);
  }

  /** Those that got no request at all. */
  get untried(): string[] {
    return [...this.#rows].filter(([, { requests }]) => requests === 0).map(([label]) => label);
  }

  /** Those of which nothing was ever taken. */
  get neverTaken(): string[] {
    return [...this.#rows].filter(([, row]) => taken(row) === 0).map(([label]) => label);
  }

  get slowest(): number {
    return Math.max(0, ...[...this.#rows.values()].map((row) => row.slowest));
  }

  get all(): Row {
    const all: Row = { requests: 0, slowest: this.slowest, statuses: new Map() };
    for (const row of this.#rows.values()) {
      all.requests += row.requests;
      for (const [status, count] of row.statuses) all.statuses.set(status, (all.statuses.get(status) ?? 0) + count);
    }
    return all;
  }

  table(): string {
    const rows = [...this.#rows, ['all', this.all] as const];
    const width = Math.max(...rows.map(([label]) => label.length));
    return rows.map(([label, row]) => line(label.padEnd(width), row)).join('\n');
  }
}

function taken({ statuses }: Row): number {
  return [...statuses].filter(([status]) => status >= 200 && status < 400).reduce((sum, [, count]) => sum + count, 0);
}

function line(label: string, row: Row): string {
  const statuses = [...row.statuses]
    .sort(([a], [b]) => a - b)
    .map(([status, count]) => `${status || 'closed'}×${count}`);
  const share = row.requests === 0 ? '–' : `${Math.round((100 * taken(row)) / row.requests)}%`;
  return `${label}  ${String(row.requests).padStart(7)}  ${share.padStart(4)} taken  ${String(Math.round(row.slowest)).padStart(6)} ms at most  ${statuses.join(' ')}`;
}
