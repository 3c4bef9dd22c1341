-- A picture that ends the worker while it is read leaves no outcome. Attempts are counted when they begin, so that such a
-- picture is not fetched again at the end of every lease.

alter table images add column attempts smallint not null default 0;
comment on column images.attempts is 'How often a worker has begun to fetch it since the last outcome.';
comment on column images.due_at is
  'When it is fetched next: at once, after a lease, or a day after a failure or a second attempt without an outcome. Null: it is fetched.';
