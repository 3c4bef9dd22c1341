-- no transaction
-- widens: movements_one_transfer_for_a_share: no statement names it in "on conflict"
-- widens: movements_one_transfer_for_a_charge: it lets in more than the one that it replaces
-- widens: disputes_undivided: it serves one statement of reconcile
-- A charge has one transfer, and one more for each time that the money of a lost dispute came back.
-- Reconcile finds ended disputes whose money is not divided as the processor has moved it.

create unique index concurrently if not exists movements_one_transfer_for_a_charge on movements (venue_id, hold_id)
  where kind = 'transfer' and reason is distinct from 'loss_returned';
drop index concurrently if exists movements_one_transfer_for_a_share;

create index concurrently if not exists disputes_unsettled on disputes (mode, changed_at)
  where status in ('won', 'lost', 'warning_closed', 'prevented')
    and (status = 'lost' and venue_part is null
      or withdrawn_amount - reinstated_amount <> coalesce(venue_part + fee_part + returned_part + own_part, 0));
drop index concurrently if exists disputes_undivided;
