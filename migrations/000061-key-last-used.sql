-- When and from where a key was last used. The request log writes it, to the minute, after the call.

alter table keys add column last_used_at timestamptz;
alter table keys add column last_used_address text;
comment on column keys.last_used_at is 'Of calls that were not refused with 401 or 403; written at most once a minute.';
comment on column keys.last_used_address is 'Masked: 203.0.113.…, or the first 48 bits of an IPv6 address.';
