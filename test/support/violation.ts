// A violated rule and its subject, as the checks of the simulation and of chaos report it.

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
    const group = groups.get(by(row));
    if (group === undefined) groups.set(by(row), [row]);
    else group.push(row);
  }
  return groups;
}

export function sumOf<Row>(rows: readonly Row[], of: (row: Row) => number): number {
  return rows.reduce((sum, row) => sum + of(row), 0);
}
