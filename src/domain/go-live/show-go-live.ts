// GET /console/api/go_live: the checklist of the venue, and what each line is about.

import type { GoLive } from '../../../schemas/types.gen.ts';
import type { Clock } from '../../base/clock.ts';
import type { Db, Queryable } from '../../base/db.ts';
import { notFound } from '../../base/errors.ts';
import type { Ids } from '../../base/ids.ts';
import type { OperationResult } from '../../base/operation.ts';
import type { LookUpText } from '../../base/outbound/text-records.ts';
import type { TeamCaller } from '../accounts/account.ts';
import type { AccountServices } from '../accounts/challenges.ts';
import { findPerson } from '../accounts/people-queries.ts';
import type { Processors } from '../payments/processor.ts';
import { findVenue } from '../venues/queries.ts';
import { checklist, dueWords, type GoLiveFacts, type GoLiveSettings, payoutsStatus } from './checklist.ts';
import { readFacts } from './link-when-ready.ts';
import { checkMessage, recordName, recordValue } from './look-up-record.ts';

export interface GoLiveServices extends AccountServices {
  readonly db: Db;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly goLive: GoLiveSettings;
  readonly processors: Processors;
  readonly lookUpText: LookUpText;
  /** The address of the service. */
  readonly serviceUrl: () => string;
}

export async function showGoLive(
  { db, goLive, processors }: GoLiveServices,
  { venue }: TeamCaller,
): Promise<OperationResult> {
  return { status: 200, body: await goLiveBody(db, venue.id, { goLive, processors }) };
}

export async function goLiveBody(
  db: Queryable,
  venueId: string,
  { goLive, processors }: Pick<GoLiveServices, 'goLive' | 'processors'>,
): Promise<GoLive> {
  const venue = await findVenue(db, venueId);
  if (venue === null) throw notFound();
  const facts = await readFacts(db, venue);
  const steps = [...checklist(facts, goLive)];
  const isLive = venue.linked && processors.live !== undefined;
  return {
    linked: venue.linked,
    can_create_live_keys: isLive,
    can_take_live_payments: isLive && payoutsStatus(facts.account) === 'active',
    done: steps.filter(({ done }) => done).length,
    total: steps.length,
    steps,
    domain: domainView(facts),
    payouts: {
      status: payoutsStatus(facts.account),
      due: [...dueWords(facts.account)],
      checked_at: facts.account?.checkedAt ?? null,
    },
    origins: [...facts.origins],
    terms: await termsView(db, venueId, facts, goLive),
    approval: goLive.needsApproval ? { approved_at: facts.row?.approvedAt ?? null } : null,
  };
}

function domainView({ row }: GoLiveFacts): GoLive['domain'] {
  if (row === null || row.domain === null || row.token === null) return null;
  const { domain: name, token, verifiedAt, verifiedBy, checkedAt, checkResult: result } = row;
  const hasCheck = checkedAt !== null && result !== null;
  return {
    name,
    record: { type: 'TXT', name: recordName(name), value: recordValue(token) },
    verified_at: verifiedAt,
    verified_by: verifiedBy,
    check: hasCheck ? { at: checkedAt, result, message: checkMessage(result, name), found: [...row.checkFound] } : null,
  };
}

async function termsView(
  db: Queryable,
  venueId: string,
  { row }: GoLiveFacts,
  { termsUrl: url }: GoLiveSettings,
): Promise<GoLive['terms']> {
  if (url === null) return null;
  if (row === null || row.termsUrl !== url || row.termsAcceptedBy === null)
    return { url, accepted_at: null, accepted_by: null };
  const person = await findPerson(db, venueId, row.termsAcceptedBy);
  return {
    url,
    accepted_at: row.termsAcceptedAt,
    accepted_by: { id: row.termsAcceptedBy, name: person?.name ?? null },
  };
}
