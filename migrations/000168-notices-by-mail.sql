-- Says of a table what it is for in the words that are used everywhere else.

comment on table notices is
  'What the people of a venue get by mail. due_at is null as soon as the mails are queued.';
