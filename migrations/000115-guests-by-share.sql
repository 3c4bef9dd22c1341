-- no transaction
-- `everyshare guest export` and `guest erase` find every share of a person, and every placeholder of a phone.

create index concurrently if not exists shares_by_guest on shares (member_id);
create index concurrently if not exists members_by_invited_phone on members (invited_phone_hash) where invited_phone_hash is not null;
