-- At every commit a party adds up to the amount, a terminal checkout has no held share, and a completed one has all
-- shares captured. The triggers are deferred, because a transaction passes through states in between. PostgreSQL cannot
-- replace a constraint trigger, so they are dropped and created again when this file changes: on checkouts first, then
-- on shares, because running servers lock the tables in that order.
create or replace function enforce_party_invariants() returns trigger language plpgsql as $$
declare
  v_status text;
  v_amount integer;
  v_sum bigint;
  v_count integer;
  v_held integer;
  v_captured integer;
begin
  select c.status, c.amount into v_status, v_amount
    from checkouts c where c.venue_id = new.venue_id and c.checkout_id = new.checkout_id;
  select count(*), coalesce(sum(s.amount), 0), count(*) filter (where s.status = 'held'),
      count(*) filter (where s.status in ('captured', 'refunded'))
    into v_count, v_sum, v_held, v_captured
    from shares s where s.venue_id = new.venue_id and s.checkout_id = new.checkout_id and s.dropped_at is null;
  if v_sum <> v_amount and not (v_count = 0 and v_status in ('open', 'expired', 'canceled')) then
    raise exception 'the shares of % add up to %, not to %', new.checkout_id, v_sum, v_amount
      using errcode = 'check_violation';
  end if;
  if v_status in ('completed', 'expired', 'canceled') and v_held > 0 then
    raise exception '% is % and still holds a card', new.checkout_id, v_status using errcode = 'check_violation';
  end if;
  if v_status = 'completed' and v_captured <> v_count then
    raise exception '% is completed and a share is not captured', new.checkout_id using errcode = 'check_violation';
  end if;
  return null;
end $$;

drop trigger if exists party_adds_up on checkouts;
create constraint trigger party_adds_up after update of status on checkouts
  deferrable initially deferred for each row execute function enforce_party_invariants();
drop trigger if exists party_adds_up on shares;
create constraint trigger party_adds_up after insert or update of dropped_at on shares
  deferrable initially deferred for each row execute function enforce_party_invariants();
