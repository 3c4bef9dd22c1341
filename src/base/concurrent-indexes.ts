// Runs a migration whose first line is `-- no transaction`: indexes on tables in use, built by `create index concurrently`,
// which lets calls write meanwhile. PostgreSQL refuses that inside of a transaction, so each statement must be safe to run
// again after a crash. An index that a crash left invalid is dropped and built again.

export interface IndexBuilder {
  /** Sends one statement; an error names the file of the migration. */
  run(statement: string): Promise<void>;
  /** The index exists, and its build did not end. Only one server migrates at a time, so no build is under way. */
  isInvalid(index: string): Promise<boolean>;
}

const CREATE_INDEX = /^create (?:unique )?index concurrently if not exists ([a-z_0-9]+) on /;
const DROP_INDEX = /^drop index concurrently if exists [a-z_0-9]+$/;

/** The statements of such a file, without comments. Another statement than these two is an error: it may not be repeatable. */
export function indexStatements(file: string, sql: string): readonly string[] {
  const text = sql.replace(/^\s*--.*$/gm, '');
  const statements = text
    .split(';')
    .map((statement) => statement.trim().replace(/\s+/g, ' '))
    .filter((statement) => statement !== '');
  for (const statement of statements) {
    if (!CREATE_INDEX.test(statement) && !DROP_INDEX.test(statement)) {
      throw new Error(
        `${file}: a file with "-- no transaction" holds only "create index concurrently if not exists" and ` +
          `"drop index concurrently if exists"; move this into another file: ${statement}`,
      );
    }
  }
  return statements;
}

export async function buildIndexes({ run, isInvalid }: IndexBuilder, statements: readonly string[]): Promise<void> {
  for (const statement of statements) {
    const index = CREATE_INDEX.exec(statement)?.[1];
    if (index !== undefined && (await isInvalid(index))) await run(`drop index concurrently if exists ${index}`);
    await run(statement);
  }
}

/** For a database that no server uses yet: the same indexes, inside of a transaction. */
export function withoutConcurrently(statements: readonly string[]): readonly string[] {
  return statements.map((statement) => statement.replace(' index concurrently ', ' index '));
}
