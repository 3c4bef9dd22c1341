-- An erasure of a guest that has not ended: the rows are erased, and the sealed values that may name the guest are being
-- read. It has the names that were erased, sealed, because nothing else knows them any more; it goes with the end.
create table guest_erasures (
  person_hash bytea primary key,
  marks bytea not null,
  -- Counts the runs. Only the newest run may end the erasure: it knows the names of all.
  run integer not null,
  created_at timestamptz not null
);
