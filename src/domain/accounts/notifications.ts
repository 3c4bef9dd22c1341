// Which mails a person gets about a venue: a choice of their own, or what their role gets. Mails about the security of the
// account and about the venue's ability to be paid are always sent.

import type { NotificationChange, NotificationPreference } from '../../../schemas/types.gen.ts';
import type { Db, Queryable } from '../../base/db.ts';
import type { Input, OperationResult } from '../../base/operation.ts';
import type { NoticeKind } from '../notices/notice.ts';
import type { TeamCaller } from './account.ts';
import { preferencesOf, setPreference } from './notification-queries.ts';
import type { Role } from './roles.ts';

const CHOSEN = ['endpoint', 'payout', 'dispute', 'review', 'key_expiry'] as const satisfies readonly NoticeKind[];

/** Which roles get the notices of a kind. Where a person can choose, it is what they get without a choice. */
const ROLES_OF_NOTICES: Readonly<Record<NoticeKind, readonly Role[]>> = {
  endpoint: ['owner', 'developer'],
  payout: ['owner', 'finance'],
  dispute: ['owner', 'finance'],
  review: ['owner', 'developer'],
  key_expiry: ['owner', 'developer'],
  payable: ['owner', 'finance'],
  live: ['owner'],
  approval: ['owner'],
};

const TITLES: Readonly<Record<NotificationPreference['kind'], string>> = {
  endpoint: 'An endpoint fails, or was disabled',
  payout: 'A payout failed',
  dispute: 'A guest disputes a payment',
  review: 'A review has a result',
  key_expiry: 'A live key is about to expire',
  sign_in: 'Your account was used on a new device',
  role: 'Your role in a venue was changed',
};

export function isChosen(kind: NoticeKind): kind is (typeof CHOSEN)[number] {
  return (CHOSEN as readonly NoticeKind[]).includes(kind);
}

/** `choice` undefined: the person has chosen nothing for this kind. */
export function wantsNotice(kind: NoticeKind, role: Role, choice: boolean | undefined): boolean {
  return (isChosen(kind) ? choice : undefined) ?? ROLES_OF_NOTICES[kind].includes(role);
}

export async function showNotifications(
  { db }: { readonly db: Queryable },
  { venue, account, role }: TeamCaller,
): Promise<OperationResult> {
  const chosen = new Map((await preferencesOf(db, venue.id, account.id)).map(({ kind, enabled }) => [kind, enabled]));
  const byChoice = CHOSEN.map((kind) => ({
    kind,
    title: TITLES[kind],
    enabled: wantsNotice(kind, role, chosen.get(kind)),
    default: wantsNotice(kind, role, undefined),
    always: false,
  }));
  const always = (['sign_in', 'role'] as const).map((kind) => ({
    kind,
    title: TITLES[kind],
    enabled: true,
    default: true,
    always: true,
  }));
  const data: NotificationPreference[] = [...byChoice, ...always];
  return { status: 200, body: { data } };
}

/** A person's own choice: every role may make it. */
export async function changeNotifications(
  services: { readonly db: Db },
  caller: TeamCaller,
  { body }: Input<NotificationChange>,
): Promise<OperationResult> {
  const { venue, account } = caller;
  await services.db.transaction(async (tx) => {
    for (const [kind, enabled] of Object.entries(body.preferences))
      await setPreference(tx, venue.id, { accountId: account.id, kind, enabled });
  });
  return showNotifications(services, caller);
}
