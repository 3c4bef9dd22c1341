// A database whose statements are spans. The span has the text of the statement, a constant of the program, and never its
// values. A transaction, and a statement that writes, carry the current trace into the rows that keep it (events).

import type { Db, Queryable, Row } from '../db.ts';
import { inSpan, type Tracing } from './tracing.ts';

const MAX_TEXT = 300;
const WRITES = /\b(insert|update|delete|create_checkout)\b/i;

export function traceDb(db: Db, tracing: Tracing): Db {
  const traced = (plain: Queryable): Queryable => ({
    query: (text, values) => statement(tracing, text, () => plain.query(text, values)),
  });
  const transaction = <T>(work: (tx: Queryable) => Promise<T>): Promise<T> => {
    if (tracing.current() === null) return db.transaction(work);
    return inSpan(
      tracing,
      { name: 'transaction', kind: 'client', attributes: { 'db.system.name': 'postgresql' } },
      () =>
        db.transaction(async (tx) => {
          await keepTrace(tx, tracing);
          return work(traced(tx));
        }),
    );
  };
  return {
    ...db,
    priority: traced(db.priority),
    background: db.background,
    monitoring: db.monitoring,
    transaction,
    query: <R extends object = Row>(text: string, values?: readonly unknown[]): Promise<R[]> => {
      if (tracing.current() === null) return db.query<R>(text, values);
      if (WRITES.test(text)) return transaction((tx) => tx.query<R>(text, values));
      return statement(tracing, text, () => db.query<R>(text, values));
    },
  };
}

/** For the rest of the transaction: it works behind a pooler too. */
async function keepTrace(tx: Queryable, tracing: Tracing): Promise<void> {
  await tx.query(`select set_config('everyshare.traceparent', $1, true)`, [tracing.current() ?? '']);
}

function statement<R>(tracing: Tracing, text: string, work: () => Promise<R>): Promise<R> {
  if (tracing.current() === null) return work();
  const plain = text.replaceAll(/\s+/g, ' ').trim();
  const attributes = { 'db.system.name': 'postgresql', 'db.query.text': plain.slice(0, MAX_TEXT) };
  return inSpan(tracing, { name: plain.split(' ', 1)[0] ?? 'statement', kind: 'client', attributes }, work);
}
