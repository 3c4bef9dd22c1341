-- Pictures for guest pages: the cover of an offering and the logo of a venue. The service fetches each address once,
-- encodes it anew, and serves the result itself, so that no guest's browser asks another server.

create table image_requests (
  venue_id uuid not null,
  checkout_id text not null,
  mode text not null,
  offering_external_id text not null,
  constraint image_requests_pkey primary key (venue_id, checkout_id)
);
comment on table image_requests is
  'New checkouts that name an offering: the worker finds the pictures of each and deletes the row.';

create table images (
  venue_id uuid not null,
  kind text not null,
  url_hash bytea not null,
  url text not null,
  wanted_at timestamptz not null,
  due_at timestamptz,
  failed_at timestamptz,
  error text,
  file_hash bytea,
  thumbnail_hash bytea,
  preview_hash bytea,
  constraint images_pkey primary key (venue_id, kind, url_hash),
  constraint image_kind_is_known check (kind in ('cover', 'logo')),
  constraint image_is_due_until_fetched check ((due_at is null) = (file_hash is not null)),
  constraint cover_has_a_thumbnail_and_a_preview check (
    (kind = 'cover' and file_hash is not null) = (thumbnail_hash is not null)
    and (thumbnail_hash is null) = (preview_hash is null)),
  constraint failed_image_has_an_error check ((failed_at is null) = (error is null))
);
create index images_due on images (due_at) where due_at is not null;
create index images_by_last_use on images (wanted_at);
comment on table images is 'Pictures that a page has asked for, by venue, kind and address. Deleted when no page asks.';
comment on column images.wanted_at is 'When a page last asked for it, to the day.';
comment on column images.due_at is 'When it is fetched next: at once, after a lease, or a day after a failure. Null: it is fetched.';

create table image_files (
  file_hash bytea not null,
  type text not null,
  content bytea not null,
  constraint image_files_pkey primary key (file_hash),
  constraint image_type_is_known check (type in ('image/webp', 'image/jpeg')),
  constraint image_file_hash_is_sha256 check (octet_length(file_hash) = 32)
);
-- The content is compressed already.
alter table image_files alter column content set storage external;
comment on table image_files is
  'The encoded pictures, by the hash in their address. The hash covers the venue and the source, so each belongs to one image.';
