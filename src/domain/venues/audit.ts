// The audit log: who did what, when and from where. An entry is written in the transaction of the change.

import type { CommandContext } from '../../base/command-context.ts';
import type { Queryable } from '../../base/db.ts';

export interface AuditEntry {
  readonly venueId: string;
  readonly action: string;
  readonly subject: string;
  readonly detail?: Readonly<Record<string, unknown>>;
}

export interface AuditRow {
  /** Null: it was done to the whole installation. */
  readonly venue_id: string | null;
  readonly id: string;
  readonly at: string;
  readonly actor: string;
  readonly via: string;
  readonly address: string | null;
  readonly request_id: string | null;
  readonly action: string;
  readonly subject: string;
  readonly detail: Readonly<Record<string, unknown>>;
}

export async function audit(
  tx: Queryable,
  command: Pick<CommandContext, 'ids' | 'actor' | 'now'>,
  entry: AuditEntry,
): Promise<void> {
  const { actor } = command;
  await tx.query(
    `insert into audit_log (venue_id, audit_id, at, actor, via, address, request_id, action, subject, detail)
     values ($1, $2, to_timestamp($3 / 1000.0), $4, $5, $6, $7, $8, $9, $10)`,
    [
      entry.venueId,
      command.ids.uuid(),
      command.now,
      actor.name,
      actor.via,
      actor.address,
      actor.requestId,
      entry.action,
      entry.subject,
      JSON.stringify(entry.detail ?? {}),
    ],
  );
}

/** For what belongs to no venue, such as a key of the installation. */
export async function auditInstallation(
  tx: Queryable,
  { ids, actor, now }: Pick<CommandContext, 'ids' | 'actor' | 'now'>,
  { action, subject, detail = {} }: Omit<AuditEntry, 'venueId'>,
): Promise<void> {
  await tx.query(
    `insert into installation_audit (audit_id, at, actor, via, address, request_id, action, subject, detail)
     values ($1, to_timestamp($2 / 1000.0), $3, $4, $5, $6, $7, $8, $9)`,
    [ids.uuid(), now, actor.name, actor.via, actor.address, actor.requestId, action, subject, JSON.stringify(detail)],
  );
}

/**
 * The log of one venue, newest first, up to `limit` + 1 entries whose action begins with a text. Each action that does is
 * read by its index, up to that many entries: there are some dozens of actions, however long the log is.
 */
export async function listVenueAudit(
  db: Queryable,
  venueId: string,
  filter: { readonly action: string; readonly before: string | null; readonly limit: number },
): Promise<AuditRow[]> {
  const entries = (condition: string): string =>
    `select venue_id, audit_id as id, at, actor, via, address, request_id, action, subject, detail from audit_log
     where venue_id = $1 and ${condition} and ($2::uuid is null or audit_id < $2) order by audit_id desc limit $3`;
  const values = [venueId, filter.before, filter.limit + 1];
  if (filter.action === '') return db.query<AuditRow>(entries('true'), values);
  return db.query<AuditRow>(
    `with recursive actions as (
       (select action from audit_log where venue_id = $1 order by action limit 1)
       union all
       select next.action from actions cross join lateral (
         select a.action from audit_log a where a.venue_id = $1 and a.action > actions.action order by a.action limit 1) next)
     select entry.* from actions cross join lateral (${entries('action = actions.action')}) entry
     where starts_with(actions.action, $4) order by entry.id desc limit $3`,
    [...values, filter.action],
  );
}

/** Newest first; `before` is the id of the last row already seen (ids are ordered by time). */
export async function listAudit(
  db: Queryable,
  filter: {
    readonly venueId: string | null;
    readonly before: string | null;
    readonly limit: number;
    /** Only what operators did, at the desk or on the command line. */
    readonly byOperators?: boolean;
  },
): Promise<AuditRow[]> {
  const { venueId, before, limit } = filter;
  // Each kind of filter has its own text, so that each is read through its own index.
  const conditions = [
    ...(venueId === null ? [] : ['venue_id = $3']),
    ...(filter.byOperators === true ? [`starts_with(actor, 'operator ')`] : []),
  ];
  const page = `where ${['($1::uuid is null or audit_id < $1)', ...conditions].join(' and ')} order by audit_id desc limit $2`;
  const columns = 'audit_id as id, at, actor, via, address, request_id, action, subject, detail';
  if (venueId !== null)
    return db.query<AuditRow>(`select venue_id, ${columns} from audit_log ${page}`, [before, limit, venueId]);
  return db.query<AuditRow>(
    `(select venue_id, ${columns} from audit_log ${page})
     union all (select null, ${columns} from installation_audit ${page}) order by id desc limit $2`,
    [before, limit],
  );
}

/** The last that was done to one object of a venue, oldest first: actions that begin with a text. */
export async function auditOfSubject(
  db: Queryable,
  venueId: string,
  subject: string,
  limit: number,
  action = '',
): Promise<Pick<AuditRow, 'at' | 'actor' | 'via' | 'action' | 'detail'>[]> {
  return db.query(
    `select at, actor, via, action, detail from (
       select audit_id, utc_micros(at) as at, actor, via, action, detail from audit_log
       where venue_id = $1 and subject = $2 and starts_with(action, $4) order by audit_id desc limit $3) newest
     order by audit_id`,
    [venueId, subject, limit, action],
  );
}

/** Earlier releases wrote the reason of a refund, which is free text; only the erasure of a guest may remove it. */
export async function removeRefundReasons(tx: Queryable, venueId: string, checkoutId: string): Promise<void> {
  await tx.query(
    `update audit_log set detail = detail - 'reason'
     where venue_id = $1 and subject = $2 and action = 'checkout.refund' and detail ? 'reason'`,
    [venueId, checkoutId],
  );
}
