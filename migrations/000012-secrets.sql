-- A secret that was rotated out signs until its own time is up, however often its endpoint is rotated meanwhile.

alter table webhook_endpoints
  add column earlier_secrets bytea[] not null default '{}',
  add column earlier_until timestamptz[] not null default '{}';

update webhook_endpoints set earlier_secrets = array[previous_secret], earlier_until = array[previous_until]
where previous_secret is not null;

alter table webhook_endpoints
  drop constraint webhook_endpoint_previous_secret_ends,
  drop column previous_secret,
  drop column previous_until,
  add constraint webhook_endpoint_earlier_secrets_end
    check (cardinality(earlier_secrets) = cardinality(earlier_until) and cardinality(earlier_secrets) <= 4);
