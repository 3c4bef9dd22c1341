-- A key may have a name, so that an operator tells keys apart. An approved experience can be taken down.

alter table keys add column name text;
comment on column keys.name is 'What the operator calls the key; null: it has no name.';
alter table keys add constraint key_name_has_1_to_100_characters check (char_length(name) between 1 and 100);

-- An experience that was taken down keeps its id, so that its figures stay its own when it is approved again.
alter table experiences drop constraint experience_is_live_once_approved;
alter table experiences add constraint experience_is_live_once_approved
  check (status <> 'approved' or experience_id is not null);
