-- no transaction
-- The figures of /metrics read what is not finished, and what is new: other rows do not make them slower.

create index concurrently if not exists holds_held on holds (capture_before) include (mode, currency, amount) where status = 'held';
create index concurrently if not exists movements_unfinished on movements (mode, kind, status) include (currency, amount)
  where status in ('waiting', 'sending', 'pending', 'frozen', 'owed', 'failed');
create index concurrently if not exists disputes_open on disputes (mode)
  where status not in ('won', 'lost', 'warning_closed', 'prevented');
create index concurrently if not exists ledger_entries_by_age on ledger_entries using brin (at) with (autosummarize = on);
create index concurrently if not exists events_by_age on events using brin (created_at) with (autosummarize = on);
