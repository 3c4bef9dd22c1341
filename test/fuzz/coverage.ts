// Counts the requests of each operation and address, their statuses, and how many were accepted: it shows whether every
// address was reached, and whether requests got past its first checks.

import type { HttpResponse } from './send.ts';

interface Row {
  requests: number;
  accepted: number;
  slowest: number;
  readonly statuses: Map<number, number>;
}

export class Coverage {
  readonly #rows = new Map<string, Row>();

  /** Adds labels that must get requests. */
  expect(labels: readonly string[]): void {
    for (const label of labels) this.#row(label);
  }

  #row(label: string): Row {
    const row = this.#rows.get(label) ?? { requests: 0, accepted: 0, slowest: 0, statuses: new Map<number, number>() };
    this.#rows.set(label, row);
    return row;
  }

  count(label: string, { status, ms }: HttpResponse, isAccepted: boolean): void {
    const row = this.#row(label);
    row.requests++;
    if (isAccepted) row.accepted++;
    row.slowest = Math.max(row.slowest, ms);
    row.statuses.set(status, (row.statuses.get(status) ?? 0) + 1);
  }

  /** Labels without a request. */
  get untriedLabels(): string[] {
    return [...this.#rows].filter(([, { requests }]) => requests === 0).map(([label]) => label);
  }

  /** Labels without an accepted request. */
  get neverAccepted(): string[] {
    return [...this.#rows].filter(([, { accepted }]) => accepted === 0).map(([label]) => label);
  }

  get slowest(): number {
    return Math.max(0, ...[...this.#rows.values()].map((row) => row.slowest));
  }

  get all(): Row {
    const all: Row = { requests: 0, accepted: 0, slowest: this.slowest, statuses: new Map() };
    for (const row of this.#rows.values()) {
      all.requests += row.requests;
      all.accepted += row.accepted;
      for (const [status, count] of row.statuses) all.statuses.set(status, (all.statuses.get(status) ?? 0) + count);
    }
    return all;
  }

  table(): string {
    const rows = [...this.#rows, ['all', this.all] as const].filter(([, { requests }]) => requests > 0);
    const width = Math.max(...rows.map(([label]) => label.length));
    return rows.map(([label, row]) => formatRow(label.padEnd(width), row)).join('\n');
  }
}

function formatRow(label: string, row: Row): string {
  const statuses = [...row.statuses]
    .sort(([a], [b]) => a - b)
    .map(([status, count]) => `${status || 'closed'}×${count}`);
  const share = `${Math.round((100 * row.accepted) / row.requests)}%`;
  return `${label}  ${String(row.requests).padStart(7)}  ${share.padStart(4)} accepted  ${String(Math.round(row.slowest)).padStart(6)} ms at most  ${statuses.join(' ')}`;
}
