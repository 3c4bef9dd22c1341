-- Invitations of people to a venue, by mail. The person accepts by signing in with that mail address.

create table venue_invitations (
  venue_id uuid not null,
  invitation_id uuid not null,
  email bytea not null,
  email_hash bytea not null,
  role text not null,
  invited_by uuid not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  ended_at timestamptz,
  accepted_by uuid,
  constraint venue_invitations_pkey primary key (venue_id, invitation_id),
  constraint venue_invitations_venue_id_fkey foreign key (venue_id) references venues (venue_id),
  constraint venue_invitation_role_is_known check (role in ('owner', 'developer', 'finance', 'viewer')),
  constraint venue_invitation_accepted_is_ended check (accepted_by is null or ended_at is not null)
);
comment on table venue_invitations is 'People invited to a venue. Ended: accepted, withdrawn, or replaced by a newer one.';
create unique index venue_invitations_open on venue_invitations (venue_id, email_hash) where ended_at is null;
create index venue_invitations_by_email on venue_invitations (email_hash) where ended_at is null;
create index venue_invitations_by_age on venue_invitations (expires_at);

alter table mails drop constraint mail_kind_is_known;
alter table mails add constraint mail_kind_is_known check (kind in ('receipt', 'code', 'invitation'));
