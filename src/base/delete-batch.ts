// The statement with which a loop deletes old rows, some at a time.

export interface OldRows {
  readonly table: string;
  /** The columns of the primary key. */
  readonly key: string;
  /** SQL: the row is old. It is checked again when the row is locked, because another transaction may have renewed it. */
  readonly isOld: string;
  /** The column of an index by age, where the planner would read the table instead. */
  readonly oldestFirst?: string;
}

/**
 * Deletes at most `limit` rows, which is a parameter such as `$2`, and returns one row for each. By key, not by ctid, which
 * means nothing on a distributed table.
 */
export function deleteBatch({ table, key, isOld, oldestFirst }: OldRows, limit: string): string {
  const order = oldestFirst === undefined ? '' : `order by ${oldestFirst} `;
  return `delete from ${table} where (${key}) in (
      select ${key} from ${table} where ${isOld} ${order}limit ${limit}) and ${isOld} returning 1`;
}
