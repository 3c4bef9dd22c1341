-- A status changes only along a row of state_transitions, whose machine the trigger names. The program checks the same
-- table before it writes (requireTransition); this stops a program that does not, and checks what expire_checkouts
-- writes for many rows. An insert counts as a transition from ''.
create or replace function enforce_transition() returns trigger language plpgsql as $$
declare
  v_from text := case tg_op when 'INSERT' then '' else old.status end;
begin
  if v_from is distinct from new.status and not exists (
    select 1 from state_transitions where machine = tg_argv[0] and from_status = v_from and to_status = new.status
  ) then
    raise exception 'a % cannot move from "%" to "%"', tg_argv[0], v_from, new.status using errcode = 'check_violation';
  end if;
  return new;
end $$;
