// The simulation reads only the parts that a commit can have changed. So it must know these parts, and notice when
// another part has changed.

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { packageRoot } from '../../src/base/package-root.ts';
import { ALL_PARTS, CommittedState, changedBy } from './snapshot.ts';

describe('the parts that a statement can change', () => {
  it.each<[string, readonly string[] | null]>([
    ['select share_id from shares where venue_id = $1 for no key update', null],
    ['update holds set lease_token = lease_token + 1 where venue_id = $1', ['holds']],
    ['with n as (select 1) insert into ledger_entries (venue_id) select $1 from n', ['entries']],
    ['update holds h set status = $1 from shares s where s.share_id = h.share_id', ['shares', 'holds']],
    ['insert into audit_log values ($1)', []],
    ['select * from create_checkout($1, $2)', ['checkouts', 'events', 'keys', 'undispatched']],
    ['select expire_checkouts($1, $2)', ['checkouts', 'shares', 'holds', 'events', 'undispatched']],
    ['select created_at from due_deliveries($1, $2)', []],
    ['select record_attempts($1, $2) as outcome', ['queues', 'deliveries']],
  ])('%s', (statement, parts) => {
    expect(changedBy(statement)).toEqual(parts);
  });
});

const sources = execFileSync('git', ['ls-files', 'src/*.sql', 'src/*.ts'], { cwd: packageRoot, encoding: 'utf8' })
  .trim()
  .split('\n')
  .map((path) => ({ path, text: readFileSync(join(packageRoot, path), 'utf8') }));
const program = sources.flatMap(({ path, text }) => (path.endsWith('.ts') ? [text] : [])).join('\n');

it('knows what each function writes that the program calls', () => {
  const unknown = sources.flatMap(({ path, text }) => {
    const name = basename(path, '.sql');
    if (!path.endsWith('.sql') || !program.includes(`${name}(`)) return [];
    const written = [...text.matchAll(/\b(?:insert into|update|delete from) (\w+)/g)].flatMap(
      ([, table = '']) => changedBy(`update ${table} set`) ?? [],
    );
    const known = changedBy(`select ${name}($1)`) ?? [];
    return written.filter((part) => !known.includes(part)).map((part) => `${name}: ${part}`);
  });
  expect([...new Set(unknown)]).toEqual([]);
});

describe('the committed state', () => {
  it('keeps parts that were not read again, and reports a part that changed without a statement', () => {
    const state = new CommittedState();
    state.update({ payouts: 'chk_1\u001f100\u001echk_2\u001f7', keys: 'k\u001f\u001f201' });
    const { payouts, keys } = state.update({ keys: null });
    expect([payouts, keys]).toEqual([
      [
        { checkout: 'chk_1', amount: 100 },
        { checkout: 'chk_2', amount: 7 },
      ],
      [],
    ]);
    const empty = Object.fromEntries(ALL_PARTS.map((part) => [part, null]));
    const unchanged = { ...empty, payouts: 'chk_1\u001f100\u001echk_2\u001f7' };
    expect(() => state.compare(unchanged)).not.toThrow();
    expect(() => state.compare({ ...unchanged, holds: 'x' })).toThrow(/holds changed without a statement/);
    expect(() => state.compare(empty)).toThrow(/payouts changed/);
  });
});
