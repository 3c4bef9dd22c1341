-- A key can be rolled: replaced by a new one, while the old one works for some hours more.

alter table keys add column rolled_to text;
comment on column keys.rolled_to is 'The key that replaces this one; null: it was not rolled.';
alter table keys add constraint keys_rolled_to_fkey foreign key (venue_id, rolled_to) references keys (venue_id, key_id);
