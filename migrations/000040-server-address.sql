-- Commands and workers beside a server need its address: the tokens of members name it as their issuer, and links in
-- texts begin with it. The server knows it only when it listens, so it records it.

alter table installation add column base_url text, add column page_base_url text;
comment on column installation.base_url is 'The address of the server that started last.';
comment on column installation.page_base_url is 'The address of its hosted pages.';
alter table installation add constraint server_addresses_are_known_together
  check ((base_url is null) = (page_base_url is null));
