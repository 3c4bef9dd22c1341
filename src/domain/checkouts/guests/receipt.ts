// The receipt of a guest: what was charged to the guest's card for a completed checkout, own share and covered ones. POST
// /v1/public/checkouts/{id}/receipt sends it by mail.

import type { GuestCheckout, ReceiptMail } from '../../../../schemas/types.gen.ts';
import type { Queryable } from '../../../base/db.ts';
import { conflict, notFound, Problem } from '../../../base/errors.ts';
import type { Input, OperationResult } from '../../../base/operation.ts';
import { plainName } from '../../../base/plain-name.ts';
import { formatDate, formatMoney, formatTime, type Translator, translatorFor } from '../../../base/translations.ts';
import { requireDailyUses } from '../../keys/daily-limit.ts';
import { queueMail } from '../../mail/mail.ts';
import { type MailStatus, statusesOfMails } from '../../mail/queries.ts';
import type { Guest } from '../../members/guest.ts';
import { findMembers } from '../../members/queries.ts';
import { cardNames } from '../../payments/card-name.ts';
import { lockCheckout } from '../queries.ts';
import { timezoneOf } from '../timezone.ts';
import { type PaidShare, sharesPaidBy, venueOf, viewForGuest } from './guest-queries.ts';
import type { GuestServices } from './guest-services.ts';

/** Mails of one receipt: enough for a wrong address and a second mailbox. */
const MAX_MAILS = 3;
/** For what mails cost, and for the good name of the sender: in a rolling day. */
const RECEIPTS_PER_VENUE = 2_000;
const RECEIPTS_IN_ALL = 20_000;

export interface Receipt {
  readonly number: string;
  readonly charged: number;
  readonly refunded: number;
  readonly cards: readonly string[];
}

/** Null: nothing was charged to the guest's card. */
export function receiptOf(checkoutId: string, paid: readonly PaidShare[]): Receipt | null {
  const charged = paid.filter(({ status }) => status === 'captured' || status === 'refunded');
  const [first] = charged;
  if (first === undefined) return null;
  return {
    // The same every time, and short enough to read out.
    number: `ES-${checkoutId.slice(-6)}-${first.shareId.slice(-4)}`.toUpperCase(),
    charged: charged.reduce((sum, { amount }) => sum + amount, 0),
    refunded: charged.reduce((sum, { refundedAmount }) => sum + refundedAmount, 0),
    cards: cardNames(charged.map(({ card }) => card)),
  };
}

export async function mailReceipt(
  services: GuestServices,
  { memberId }: Guest,
  input: Input<ReceiptMail>,
): Promise<OperationResult> {
  const id = input.params.id ?? '';
  const venueId = await venueOf(services.db, id);
  if (venueId === null) throw notFound();
  if (!services.hasMail) throw conflict('no_mail', 'This installation sends no mail. Print the receipt from its page.');
  return services.db.transaction(async (tx) => {
    // Under the lock the mails of this receipt are counted one after the other.
    const locked = await lockCheckout(tx, venueId, id);
    const view = await viewForGuest(tx, venueId, id, memberId, services.clock.now());
    if (locked === null || view === null) throw notFound();
    const checkout = JSON.parse(view.json) as GuestCheckout;
    if (checkout.status !== 'completed')
      throw conflict(
        'checkout_not_completed',
        `This checkout is ${checkout.status}: only a completed one has receipts.`,
      );
    const receipt = receiptOf(id, await sharesPaidBy(tx, venueId, id, memberId));
    if (receipt === null)
      throw conflict('nothing_paid', 'Your card was not charged for this booking: there is no receipt.');
    const earlier = (await statusesOfMails(tx, 'receipt', subjectsOf(id, memberId))).length;
    if (earlier >= MAX_MAILS) throw tooMany();
    await requireRoom(tx, venueId);
    const [timezone, members] = await Promise.all([timezoneOf(tx, locked), findMembers(tx, [memberId])]);
    const translator = translatorFor(members.get(memberId)?.language ?? null);
    const link = `${services.pageBase()}/c/${id}`;
    const mail = { to: input.body.email, ...receiptMail(translator, checkout, receipt, { timezone, link }) };
    if (!(await queueMail(tx, services, 'receipt', subjectsOf(id, memberId)[earlier] ?? '', mail))) throw tooMany();
    const { number, charged: amount, refunded: refunded_amount } = receipt;
    const json = { object: 'receipt', number, amount, refunded_amount, currency: checkout.currency };
    return { status: 202, json: JSON.stringify(json) };
  });
}

/** One for each mail of a guest's receipt. */
export function subjectsOf(checkoutId: string, memberId: string): readonly string[] {
  return Array.from({ length: MAX_MAILS }, (_, index) => `${checkoutId} ${memberId} ${index + 1}`);
}

/** How the latest mail of the receipt has gone; null: there is none. */
export async function lastReceiptMail(db: Queryable, checkoutId: string, memberId: string): Promise<MailStatus | null> {
  return (await statusesOfMails(db, 'receipt', subjectsOf(checkoutId, memberId))).at(-1) ?? null;
}

async function requireRoom(tx: Queryable, venueId: string): Promise<void> {
  const limits = [
    { subject: `receipts ${venueId}`, limit: RECEIPTS_PER_VENUE, who: 'A venue’s guests get' },
    { subject: 'receipts in all', limit: RECEIPTS_IN_ALL, who: 'This installation sends' },
  ];
  for (const { who, ...limit } of limits)
    await requireDailyUses(
      tx,
      limit,
      1,
      `${who} ${limit.limit} receipts by mail a day. Print it from its page instead.`,
    );
}

function tooMany(): Problem {
  return new Problem('rate_limited', {
    message: `A receipt is mailed at most ${MAX_MAILS} times, and an address gets at most 20 mails a day. Print it from its page instead.`,
    headers: { 'retry-after': '86400' },
  });
}

function receiptMail(
  translator: Translator,
  checkout: GuestCheckout,
  receipt: Receipt,
  { timezone, link }: { readonly timezone: string; readonly link: string },
): { readonly title: string; readonly text: string } {
  const { language } = translator;
  const { currency, starts_at: start, completed_at: completed, mode } = checkout;
  // The partner's words: a mail in our name carries no link and no phone number of another.
  const description = plainName(checkout.description, { allowTimes: true }) ?? translator.translate('text.a_booking');
  const venue = plainName(checkout.venue.name) ?? translator.translate('text.the_venue');
  const location = checkout.location === null ? null : plainName(checkout.location, { allowTimes: true });
  const test = mode === 'test' ? [translator.translate('page.test_mode')] : [];
  const money = (amount: number): string => formatMoney(language, amount, currency);
  const row = (key: string, value: string): string => `${translator.translate(key, { what: description })}: ${value}`;
  const rows = [
    row('page.receipt_for', money(receipt.charged)),
    ...(completed === null ? [] : [row('page.receipt_charged', formatTime(language, Date.parse(completed), timezone))]),
    ...(receipt.cards.length === 0 ? [] : [row('page.receipt_card', receipt.cards.join(', '))]),
    ...(receipt.refunded === 0 ? [] : [row('page.state_refunded', `−${money(receipt.refunded)}`)]),
    row('page.receipt_number', receipt.number),
    row('page.receipt_total', money(receipt.charged - receipt.refunded)),
  ];
  const what = [
    translator.translate('page.what_at', { what: description, venue }),
    ...(start === null ? [] : [formatDate(language, Date.parse(start), timezone)]),
    ...(location === null ? [] : [location]),
  ];
  const title = translator.translate('mail.receipt_title', { number: receipt.number, what: description });
  const blocks = [...(test.length > 0 ? [test] : []), what, rows, [link], [translator.translate('mail.receipt_why')]];
  return {
    title: oneLine([...test, title].join(' - ')),
    text: `${blocks.map((lines) => lines.map(oneLine).join('\n')).join('\n\n')}\n`,
  };
}

/** A line break in a text would look like the end of a line of ours. */
function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}
