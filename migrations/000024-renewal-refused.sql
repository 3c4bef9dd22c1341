-- A refused renewal does not end the hold that it should have renewed: that hold is good until it lapses. A server of an
-- earlier version can run beside this.

alter table holds add column renewal_refused_at timestamptz;

comment on column holds.renewal_refused_at is
  'When the renewal of this hold was refused. The hold counts until capture_before, and is not renewed again.';
