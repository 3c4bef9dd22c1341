-- The hash of the phone with which a member signs in; null: the member has none.
create or replace function member_phone_hash(p_member uuid) returns bytea language plpgsql stable as $$
begin
  return (select m.phone_hash from members m where m.member_id = p_member);
end $$;
