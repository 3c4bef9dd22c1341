-- An operator suspends a venue (no new checkouts, the living ones go on), and raises the limits of a key for a time.

alter table venues add column suspended_at timestamptz;
alter table venues add column suspension_note text;
comment on column venues.suspended_at is 'Since when no new checkouts are created; null: they are.';
comment on column venues.suspension_note is 'Why, for operators alone.';

alter table keys add column raised_writes_per_hour integer;
alter table keys add column raised_reads_per_hour integer;
alter table keys add column raised_until timestamptz;
comment on column keys.raised_until is 'Until then the raised limits count in place of the lower ones of the key.';
