-- The name of a member for parties in which the organizer gave none.
create or replace function member_name(p_member uuid) returns text language plpgsql stable as $$
begin
  return (select m.display_name from members m where m.member_id = p_member);
end $$;
