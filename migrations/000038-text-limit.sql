-- Texts may wait for the hourly limit of the installation: a time after which a text is useless, and an index by which
-- sign-in codes are found among many waiting messages.

alter table messages add column send_before timestamptz;
comment on column messages.send_before is 'From then on the message is dropped instead of sent; null: it is never too late.';
create index messages_by_send_before on messages (send_before) where due_at is not null;
create index messages_due_codes on messages (due_at) where due_at is not null and kind = 'code';
