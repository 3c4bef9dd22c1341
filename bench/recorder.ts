// Records the statements that go to the database, and replays them for another party: other ids, other times, the same
// statements in the same transactions. Statements that were sent while another one was running are sent together again.

import type { Db, Queryable } from '../src/base/db.ts';
import type { Ids } from '../src/base/ids.ts';
import type { Party, Recording } from './payments.ts';
import type { Statement, Unit } from './sql.ts';

interface RecordedUnit extends Unit {
  readonly groups: Statement[][];
}

export interface Recorder {
  readonly db: Db;
  readonly texts: readonly string[];
  /** Returns the units recorded since the last call. */
  takeUnits(): Unit[];
}

export function makeRecorder(real: Db): Recorder {
  const texts: string[] = [];
  let units: RecordedUnit[] = [];
  const indexOfText = (text: string): number => {
    const index = texts.indexOf(text);
    return index >= 0 ? index : texts.push(text) - 1;
  };
  /** Records into the unit that `nextUnit` returns; called only when no statement is running. */
  const recordQueries = (target: Queryable, nextUnit: () => RecordedUnit): Queryable => {
    let running = 0;
    let current: RecordedUnit | undefined;
    return {
      async query<R extends object>(text: string, values: readonly unknown[] = []): Promise<R[]> {
        if (current === undefined || running === 0) {
          current = nextUnit();
          current.groups.push([]);
        }
        current.groups.at(-1)?.push({ text: indexOfText(text), values });
        running++;
        try {
          return await target.query<R>(text, values);
        } finally {
          running--;
        }
      },
    };
  };
  const beginUnit = (kind: Unit['kind']): RecordedUnit => {
    const unit: RecordedUnit = { kind, groups: [] };
    units.push(unit);
    return unit;
  };
  const db: Db = {
    ...recordQueries(real, () => beginUnit('single')),
    priority: recordQueries(real.priority, () => beginUnit('priority')),
    background: real.background,
    monitoring: real.monitoring,
    transaction: (work) => {
      const unit = beginUnit('transaction');
      return real.transaction((tx) => work(recordQueries(tx, () => unit)));
    },
    close: () => real.close(),
  };
  return {
    db,
    texts,
    takeUnits() {
      const recorded = units;
      units = [];
      return recorded;
    },
  };
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;
/** A larger number is a time in milliseconds, after the year 2001. */
const MIN_TIMESTAMP_MS = 1e12;

/** The recorded units with the ids of this party, new ids for all other rows, and times moved to now. */
export function replayFor(recording: Recording, party: Party, ids: Ids): { openUnits: Unit[]; settleUnits: Unit[] } {
  const elapsedMs = Date.now() - recording.recordedAt;
  const newIds = new Map([
    [recording.party.venueId, party.venueId],
    [recording.party.checkoutId, party.checkoutId],
  ]);
  for (const [index, id] of recording.party.shareIds.entries()) newIds.set(id, party.shareIds[index] ?? '');
  const replaceId = (text: string): string => {
    const isId = UUID.test(text) || text.startsWith('evt_');
    if (isId && !newIds.has(text)) newIds.set(text, text.startsWith('evt_') ? ids.prefixed('evt') : ids.uuid());
    return newIds.get(text) ?? text;
  };
  const replaceValue = (value: unknown): unknown => {
    if (typeof value === 'string') return replaceId(value);
    if (typeof value === 'number') return value > MIN_TIMESTAMP_MS ? value + elapsedMs : value;
    return Array.isArray(value) ? value.map(replaceValue) : value;
  };
  const replaceUnit = (unit: Unit): Unit => ({
    kind: unit.kind,
    groups: unit.groups.map((group) => group.map(({ text, values }) => ({ text, values: values.map(replaceValue) }))),
  });
  return { openUnits: recording.openUnits.map(replaceUnit), settleUnits: recording.settleUnits.map(replaceUnit) };
}
