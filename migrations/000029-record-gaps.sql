-- After a restored backup the processor has charges that these records do not have, because they were made after the
-- backup was taken. The time without records is known from when a worker last ran on them.

alter table installation add column alive_at timestamptz;
comment on column installation.alive_at is 'When a worker or a reconciliation last ran on this database.';

create table record_gaps (
  began_at timestamptz not null,
  ended_at timestamptz not null,
  constraint record_gaps_pkey primary key (began_at),
  constraint record_gap_ends_after_it_began check (ended_at > began_at)
);
comment on table record_gaps is
  'Times in which nothing ran on this database: an outage, or what a restored backup does not have. Reconciliation '
  'refunds no charge of such a time.';
