// Seals every stored value again with the first key of ENCRYPTION_KEY, in batches, while servers run. It can be stopped and
// started again at any time: values of the current key are skipped. When no value of an older key is left, the
// installation itself is sealed with the first key, and only then does a server start without the older keys.

import type { CommandContext } from '../../base/command-context.ts';
import type { Db } from '../../base/db.ts';
import type { Seal, SealedColumn } from '../../base/seal.ts';
import { auditInstallation } from '../venues/audit.ts';
import { countOlder, readOlder, replaceSealed, type SealedRow } from './reseal-queries.ts';
import { resealInstallation } from './verify-encryption-key.ts';

const BATCH = 100;

export interface EncryptionRotation {
  readonly resealed: number;
  /** Rows that still have a value of another key. 0: the older keys can be removed. */
  readonly left: number;
  /** Rows whose value opens with none of the keys, among those left; the first of them by name. */
  readonly unreadable: number;
  readonly firstUnreadable: string | null;
}

export async function rotateEncryption(
  db: Db,
  command: CommandContext,
  columns: readonly SealedColumn[],
  onProgress: (done: number, total: number) => void,
): Promise<EncryptionRotation> {
  const run = new Rotation(db, command.seal, onProgress);
  await run.count(columns);
  for (const column of columns) await run.reseal(column);
  const left = await run.count(columns);
  const { resealed, unreadable, firstUnreadable } = run;
  await db.transaction(async (tx) => {
    if (left === 0) await resealInstallation(tx, command.seal);
    const detail = { resealed, left, unreadable };
    await auditInstallation(tx, command, { action: 'encryption.rotate', subject: 'encryption_key', detail });
  });
  return { resealed, left, unreadable, firstUnreadable };
}

class Rotation {
  resealed = 0;
  unreadable = 0;
  firstUnreadable: string | null = null;
  readonly #db: Db;
  readonly #seal: Seal;
  readonly #onProgress: (done: number, total: number) => void;
  #total = 0;

  constructor(db: Db, seal: Seal, onProgress: (done: number, total: number) => void) {
    this.#db = db;
    this.#seal = seal;
    this.#onProgress = onProgress;
  }

  async count(columns: readonly SealedColumn[]): Promise<number> {
    this.#total = 0;
    for (const column of columns) this.#total += await countOlder(this.#db, column, this.#seal.currentPrefix);
    return this.#total;
  }

  async reseal(column: SealedColumn): Promise<void> {
    let rows: SealedRow[];
    let last: SealedRow | null = null;
    do {
      rows = await readOlder(this.#db, column, this.#seal.currentPrefix, last, BATCH);
      // Sealed before the transaction, which the database may have to repeat.
      const sealed = rows.map((row) => ({ row, values: this.#sealAgain(column, row) }));
      this.resealed += await this.#db.transaction(async (tx) => {
        let replaced = 0;
        for (const { row, values } of sealed)
          if (values !== null && (await replaceSealed(tx, column, row, values))) replaced += 1;
        return replaced;
      });
      this.#onProgress(this.resealed, this.#total);
      last = rows.at(-1) ?? null;
    } while (rows.length === BATCH);
  }

  /** Null: a value opens with none of the keys. It stays as it is, and is counted. */
  #sealAgain(column: SealedColumn, row: SealedRow): readonly Buffer[] | null {
    const name = column.sealName(row.names);
    try {
      return row.sealed.map((value) => this.#seal.seal(this.#seal.open(value, name), name));
    } catch {
      this.unreadable += 1;
      this.firstUnreadable ??= `${column.table}.${column.column} of ${column.key.map((key) => row.names[key]).join(' ')}`;
      return null;
    }
  }
}
