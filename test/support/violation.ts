// A rule that did not hold, and what to look at.

export interface Violation {
  readonly rule: string;
  /** A checkout, a booking, a process or an account. */
  readonly subject: string;
  readonly what: string;
}

export type Found = (rule: string, subject: string, what: string) => void;

export function grouped<Row>(rows: readonly Row[], by: (row: Row) => string): ReadonlyMap<string, readonly Row[]> {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const own = groups.get(by(row));
    if (own === undefined) groups.set(by(row), [row]);
    else own.push(row);
  }
  return groups;
}

export function sumOf<Row>(rows: readonly Row[], of: (row: Row) => number): number {
  return rows.reduce((sum, row) => sum + of(row), 0);
}
