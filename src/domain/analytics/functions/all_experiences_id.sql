-- The subject under which all experiences of a mode are counted together, so that a person counts once among them.
-- Other subjects are an experience's id, and the venue's id for its own page.
create or replace function all_experiences_id(p_mode text) returns uuid language sql immutable as $$
  select case p_mode when 'live' then uuid '00000000-0000-0000-0000-000000000001'
    when 'test' then uuid '00000000-0000-0000-0000-000000000002' end
$$;
