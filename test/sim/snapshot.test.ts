// The simulation looks at what a commit can have changed, and at nothing else: so it must know what that is, and find out
// when it was mistaken.

import { describe, expect, it } from 'vitest';
import { ALL_PARTS, changedBy, OurBooks } from './snapshot.ts';

describe('what a statement can change', () => {
  it.each<[string, readonly string[] | null]>([
    ['select share_id from shares where venue_id = $1 for no key update', null],
    ['update holds set lease_token = lease_token + 1 where venue_id = $1', ['holds']],
    ['with n as (select 1) insert into ledger_entries (venue_id) select $1 from n', ['entries']],
    ['update holds h set status = $1 from shares s where s.share_id = h.share_id', ['shares', 'holds']],
    ['insert into audit_log values ($1)', []],
    ['select * from create_checkout($1, $2)', ['checkouts', 'events', 'keys', 'queue']],
    ['select expire_checkouts($1, $2)', ['checkouts', 'shares', 'holds', 'events', 'queue']],
    ['select created_at from due_deliveries($1, $2)', []],
    ['select record_attempts($1, $2) as outcome', ['lanes', 'deliveries']],
  ])('%s', (statement, parts) => {
    expect(changedBy(statement)).toEqual(parts);
  });
});

describe('our books', () => {
  it('keep what was not looked at again, and tell when it has changed all the same', () => {
    const books = new OurBooks();
    books.take({ payouts: 'chk_1\u001f100\u001echk_2\u001f7', keys: 'k\u001f\u001f201' });
    const { payouts, keys } = books.take({ keys: null });
    expect([payouts, keys]).toEqual([
      [
        { checkout: 'chk_1', amount: 100 },
        { checkout: 'chk_2', amount: 7 },
      ],
      [],
    ]);
    const whole = Object.fromEntries(ALL_PARTS.map((part) => [part, null]));
    const asKnown = { ...whole, payouts: 'chk_1\u001f100\u001echk_2\u001f7' };
    expect(() => books.compare(asKnown)).not.toThrow();
    expect(() => books.compare({ ...asKnown, holds: 'x' })).toThrow(/holds changed, and no statement said so/);
    expect(() => books.compare(whole)).toThrow(/payouts changed/);
  });
});
