// The texts of notices to the people of a venue. Names that people typed are shown without links and long numbers. They
// hold no data of a guest.

import { plainName } from '../../base/plain-name.ts';
import { DEFAULT_LANGUAGE, formatDate, formatMoney } from '../../base/translations.ts';
import type { Mail } from '../mail/mail.ts';
import type { Notice } from '../notices/notice.ts';
import { isChosen } from './notifications.ts';
import type { Role } from './roles.ts';

interface Recipient {
  readonly email: string;
  readonly role: Role;
}

interface VenueOfNotice {
  readonly id: string;
  readonly name: string;
  /** A venue that is not linked has no pages of live mode. */
  readonly linked: boolean;
  readonly timezone: string;
}

const MAX_LINES = 20;

/** One mail for all notices, which are of one venue and kind, the oldest first; there is at least one. */
export function noticeMail(
  { email, role }: Recipient,
  notices: readonly Notice[],
  { id, name, timezone, linked }: VenueOfNotice,
  consoleUrl: string,
): Mail {
  const [first] = notices;
  if (first === undefined) throw new Error('a mail needs a notice');
  const venue = plainName(name) ?? 'your venue';
  // Of a state that goes to and fro the newest counts.
  const last = notices.at(-1) ?? first;
  const lines = notices.slice(-MAX_LINES).map((notice) => lineOf(notice, timezone));
  const rest = notices.length - lines.length;
  const pages = `${consoleUrl}/v/${id}/${linked ? first.mode : 'test'}`;
  const text = [
    ...lines,
    ...(rest > 0 ? [`And ${rest} more before these.`] : []),
    '',
    adviceOf(last),
    '',
    `${pages}${pageOf(notices)}`,
    '',
    isChosen(first.kind)
      ? `You get this mail as ${role} of ${venue}. Choose which mails you get: ${pages}/settings/notifications`
      : `You get this mail as ${role} of ${venue}.`,
  ];
  const mode = first.mode === 'test' ? ' (test mode)' : '';
  return { to: email, title: `${venue}: ${titleOf(last, notices.length)}${mode}`, text: text.join('\n') };
}

const textIn = ({ detail }: Notice, name: string): string => String(detail[name] ?? '');

const moneyIn = ({ detail }: Notice): string =>
  formatMoney(DEFAULT_LANGUAGE, Number(detail.amount ?? 0), String(detail.currency ?? 'USD'));

function titleOf(notice: Notice, count: number): string {
  const many = (one: string, more: string): string => (count === 1 ? one : `${count} ${more}`);
  switch (notice.kind) {
    case 'endpoint':
      return many(
        textIn(notice, 'state') === 'disabled' ? 'an endpoint was disabled' : 'an endpoint fails',
        'endpoints fail or were disabled',
      );
    case 'payout':
      return many('a payout failed', 'transfers of payouts failed');
    case 'dispute':
      return many('a payment is disputed', 'payments are disputed');
    case 'review':
      return many(`a review is ${textIn(notice, 'status')}`, 'reviews have a result');
    case 'key_expiry':
      return many('a live key is about to expire', 'live keys are about to expire');
    case 'payable':
      return notice.detail.payable === true ? 'payouts work again' : 'payouts are stopped';
    case 'live':
      return 'live mode is open';
    case 'approval':
      return notice.detail.approved === true ? 'approved' : 'the approval was taken back';
  }
}

function lineOf(notice: Notice, timezone: string): string {
  const { kind, detail } = notice;
  switch (kind) {
    case 'endpoint':
      return detail.state === 'disabled'
        ? `The endpoint ${textIn(notice, 'endpoint')} at ${textIn(notice, 'host')} was disabled: no delivery succeeded for 72 hours.`
        : `The endpoint ${textIn(notice, 'endpoint')} at ${textIn(notice, 'host')} fails: no delivery succeeded for an hour.`;
    case 'payout':
      return `${moneyIn(notice)} of the checkout ${textIn(notice, 'checkout')} could not be sent to your account.`;
    case 'dispute':
      return `A guest disputes ${moneyIn(notice)} of the checkout ${textIn(notice, 'checkout')}.`;
    case 'review':
      return reviewLine(notice);
    case 'key_expiry':
      return `The live key ${nameOf(textIn(notice, 'name'))}${textIn(notice, 'hint')} expires on ${formatDate(DEFAULT_LANGUAGE, Date.parse(textIn(notice, 'expires_at')), timezone)}.`;
    case 'payable':
      return detail.payable === true
        ? 'The card processor can pay the venue again. Live checkouts can be created.'
        : 'The card processor can no longer pay the venue. No new live checkouts can be created; your keys stay valid.';
    case 'live':
      return 'Every line of the checklist holds: you can create live keys, and connect venue systems.';
    case 'approval':
      return detail.approved === true
        ? 'The operator of the service has approved the venue.'
        : 'The operator of the service has taken the approval of the venue back.';
  }
}

const nameOf = (typed: string): string => {
  const name = plainName(typed);
  return name === null ? '' : `"${name}" `;
};

function reviewLine(notice: Notice): string {
  const note = plainName(textIn(notice, 'note'), { allowTimes: true });
  const what = `The ${textIn(notice, 'object')} ${nameOf(textIn(notice, 'name'))}(${textIn(notice, 'id')})`;
  return `${what} is ${textIn(notice, 'status')}.${note === null ? '' : ` Note: ${note}`}`;
}

function adviceOf({ kind, detail }: Notice): string {
  switch (kind) {
    case 'endpoint':
      return 'The console shows what the endpoint answered. When it works again, enable it and recover what it has missed.';
    case 'payout':
      return 'The operator of the service has to act. The money stays with the card processor until then.';
    case 'dispute':
      return 'The money is held back until the dispute has ended.';
    case 'review':
      return 'Correct what was rejected, and send it again.';
    case 'key_expiry':
      return 'Roll the key in time: the old and the new one then work side by side for a while.';
    case 'payable':
      return detail.payable === true
        ? 'There is nothing to do.'
        : 'Open the checklist of going live: it says what the card processor needs.';
    case 'live':
      return 'Your test keys and everything in test mode stay as they are.';
    case 'approval':
      return 'The checklist of going live says what is left.';
  }
}

/** The page of what the mail is about; where it is about several objects, the list of them. */
function pageOf(notices: readonly Notice[]): string {
  const pages = new Set(notices.map(objectPage));
  const [only = ''] = pages;
  return pages.size === 1 ? only : LIST_PAGES[notices[0]?.kind ?? 'live'];
}

const LIST_PAGES: Readonly<Record<Notice['kind'], string>> = {
  endpoint: '/webhooks',
  payout: '/payouts',
  dispute: '/payouts?tab=disputes',
  review: '/catalogue',
  key_expiry: '/keys',
  payable: '/go-live',
  live: '/go-live',
  approval: '/go-live',
};

function objectPage(notice: Notice): string {
  const part = (name: string): string => encodeURIComponent(textIn(notice, name));
  switch (notice.kind) {
    case 'endpoint':
      return `/webhooks/${part('endpoint')}`;
    case 'payout':
    case 'dispute':
      return `/checkouts/${part('checkout')}`;
    case 'review':
      return `/catalogue/${textIn(notice, 'object') === 'experience' ? 'event' : part('object')}/${part('id')}`;
    case 'key_expiry':
      return `/keys/${part('key')}`;
    case 'payable':
    case 'live':
    case 'approval':
      return LIST_PAGES[notice.kind];
  }
}
