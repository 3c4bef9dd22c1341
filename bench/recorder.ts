// Writes down what goes to the database, and makes the same for another party of it: other ids, other times, the same
// statements in the same transactions. What was sent while another was under way had travelled with it, and does again.

import type { Db, Queryable } from '../src/base/db.ts';
import type { Ids } from '../src/base/ids.ts';
import type { Party, Recording } from './money.ts';
import type { Statement, Unit } from './sql.ts';

interface Written extends Unit {
  readonly groups: Statement[][];
}

export interface Recorder {
  readonly db: Db;
  readonly texts: readonly string[];
  /** What was written down since the last time. */
  take(): Unit[];
}

export function makeRecorder(real: Db): Recorder {
  const texts: string[] = [];
  let units: Written[] = [];
  const numberOf = (text: string): number => {
    const known = texts.indexOf(text);
    return known >= 0 ? known : texts.push(text) - 1;
  };
  /** Into the unit that `unit` gives, which is asked for only when nothing is under way. */
  const recording = (to: Queryable, unit: () => Written): Queryable => {
    let underway = 0;
    let current: Written | undefined;
    return {
      async query<R extends object>(text: string, values: readonly unknown[] = []): Promise<R[]> {
        if (current === undefined || underway === 0) {
          current = unit();
          current.groups.push([]);
        }
        current.groups.at(-1)?.push({ text: numberOf(text), values });
        underway++;
        try {
          return await to.query<R>(text, values);
        } finally {
          underway--;
        }
      },
    };
  };
  const begin = (kind: Unit['kind']): Written => {
    const unit: Written = { kind, groups: [] };
    units.push(unit);
    return unit;
  };
  const db: Db = {
    ...recording(real, () => begin('single')),
    priority: recording(real.priority, () => begin('express')),
    transaction: (work) => {
      const unit = begin('transaction');
      return real.transaction((tx) => work(recording(tx, () => unit)));
    },
    close: () => real.close(),
  };
  return {
    db,
    texts,
    take() {
      const taken = units;
      units = [];
      return taken;
    },
  };
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;
/** Any time of these years, in milliseconds. */
const A_TIME = 1e12;

/** The recorded units as they would have been for this party, now. */
export function forParty(recording: Recording, party: Party, ids: Ids): { opening: Unit[]; settling: Unit[] } {
  const later = Date.now() - recording.at;
  const names = new Map([
    [recording.party.venueId, party.venueId],
    [recording.party.checkoutId, party.checkoutId],
  ]);
  for (const [at, id] of recording.party.shareIds.entries()) names.set(id, party.shareIds[at] ?? '');
  const named = (text: string): string => {
    const isId = UUID.test(text) || text.startsWith('evt_');
    if (isId && !names.has(text)) names.set(text, text.startsWith('evt_') ? ids.prefixed('evt') : ids.uuid());
    return names.get(text) ?? text;
  };
  const changed = (value: unknown): unknown => {
    if (typeof value === 'string') return named(value);
    if (typeof value === 'number') return value > A_TIME ? value + later : value;
    return Array.isArray(value) ? value.map(changed) : value;
  };
  const again = (unit: Unit): Unit => ({
    kind: unit.kind,
    groups: unit.groups.map((group) => group.map(({ text, values }) => ({ text, values: values.map(changed) }))),
  });
  return { opening: recording.opening.map(again), settling: recording.settling.map(again) };
}
