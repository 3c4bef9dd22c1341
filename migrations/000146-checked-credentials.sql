-- New credentials are tried with one request at once, so that wrong ones are shown without waiting for a delivery.

-- False: no request has been answered since the credentials were set. Those that were set before count as tried.
alter table integration_readers add column is_checked boolean not null default true;
