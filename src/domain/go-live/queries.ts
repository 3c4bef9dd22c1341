// The SQL of going live.

import type { Queryable } from '../../base/db.ts';

export type CheckResult = 'found' | 'no_domain' | 'no_record' | 'other_values' | 'timeout' | 'failed';

export interface GoLiveRow {
  readonly domain: string | null;
  readonly token: string | null;
  readonly verifiedAt: string | null;
  readonly verifiedBy: 'dns' | 'mail' | null;
  readonly checkedAt: string | null;
  readonly checkResult: CheckResult | null;
  readonly checkFound: readonly string[];
  /** The address of the terms that were accepted. */
  readonly termsUrl: string | null;
  readonly termsAcceptedAt: string | null;
  readonly termsAcceptedBy: string | null;
  readonly approvedAt: string | null;
}

/** Null: the venue has done nothing of it. */
export async function findGoLive(db: Queryable, venueId: string): Promise<GoLiveRow | null> {
  const rows = await db.query<GoLiveRow>(
    `select domain, domain_token as "token", domain_verified_at as "verifiedAt", domain_verified_by as "verifiedBy",
       checked_at as "checkedAt", check_result as "checkResult", check_found as "checkFound", terms_url as "termsUrl",
       terms_accepted_at as "termsAcceptedAt", terms_accepted_by as "termsAcceptedBy", approved_at as "approvedAt"
     from venue_go_live where venue_id = $1`,
    [venueId],
  );
  return rows[0] ?? null;
}

/** Replaces a domain that is not verified. False: one is verified, and stays. */
export async function setDomain(
  tx: Queryable,
  venueId: string,
  { domain, token }: { readonly domain: string; readonly token: string },
): Promise<boolean> {
  const rows = await tx.query(
    `insert into venue_go_live as g (venue_id, domain, domain_token) values ($1, $2, $3)
     on conflict (venue_id) do update set domain = excluded.domain, domain_token = excluded.domain_token,
       checked_at = null, check_result = null, check_found = '{}' where g.domain_verified_at is null returning 1`,
    [venueId, domain, token],
  );
  return rows.length === 1;
}

export async function recordCheck(
  tx: Queryable,
  venueId: string,
  token: string,
  check: { readonly result: CheckResult; readonly found: readonly string[]; readonly now: number },
): Promise<void> {
  await tx.query(
    `update venue_go_live set checked_at = to_timestamp($3 / 1000.0), check_result = $4, check_found = $5
     where venue_id = $1 and domain_token = $2 and domain_verified_at is null`,
    [venueId, token, check.now, check.result, check.found],
  );
}

/** False: it is verified already, or the venue has named another domain since the token was made. */
export async function setDomainVerified(
  tx: Queryable,
  venueId: string,
  token: string,
  { by, now }: { readonly by: 'dns' | 'mail'; readonly now: number },
): Promise<boolean> {
  const rows = await tx.query(
    `update venue_go_live set domain_verified_at = to_timestamp($3 / 1000.0), domain_verified_by = $4
     where venue_id = $1 and domain_token = $2 and domain_verified_at is null returning 1`,
    [venueId, token, now, by],
  );
  return rows.length === 1;
}

/** False: these terms are accepted already. */
export async function setTermsAccepted(
  tx: Queryable,
  venueId: string,
  accepted: { readonly url: string; readonly by: string; readonly now: number },
): Promise<boolean> {
  const rows = await tx.query(
    `insert into venue_go_live as g (venue_id, terms_url, terms_accepted_at, terms_accepted_by)
     values ($1, $2, to_timestamp($4 / 1000.0), $3)
     on conflict (venue_id) do update set terms_url = excluded.terms_url,
       terms_accepted_at = excluded.terms_accepted_at, terms_accepted_by = excluded.terms_accepted_by
     where g.terms_url is distinct from excluded.terms_url returning 1`,
    [venueId, accepted.url, accepted.by, accepted.now],
  );
  return rows.length === 1;
}

/** False: it is approved already. */
export async function setApproved(tx: Queryable, venueId: string, now: number): Promise<boolean> {
  const rows = await tx.query(
    `insert into venue_go_live as g (venue_id, approved_at) values ($1, to_timestamp($2 / 1000.0))
     on conflict (venue_id) do update set approved_at = excluded.approved_at where g.approved_at is null returning 1`,
    [venueId, now],
  );
  return rows.length === 1;
}

/** False: it is not approved. */
export async function clearApproved(tx: Queryable, venueId: string): Promise<boolean> {
  const rows = await tx.query(
    'update venue_go_live set approved_at = null where venue_id = $1 and approved_at is not null returning 1',
    [venueId],
  );
  return rows.length === 1;
}

/** The venue is linked: the worker need not look again. */
export async function closeGoLive(tx: Queryable, venueId: string): Promise<void> {
  await tx.query('update venue_go_live set is_open = false where venue_id = $1 and is_open', [venueId]);
}

/** The next venues, by id, with a verified domain that are not known to be linked. */
export async function openVenuesAfter(db: Queryable, after: string | null, limit: number): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    `select venue_id as id from venue_go_live
     where is_open and domain_verified_at is not null and ($1::uuid is null or venue_id > $1) order by venue_id limit $2`,
    [after, limit],
  );
  return rows.map(({ id }) => id);
}
