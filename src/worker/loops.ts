// The list of the worker's loops. Each loop processes due rows of the domain in batches; worker.ts runs them. Any number
// of workers may run at the same time.

import { DAY_MS } from '../base/retention.ts';
import { deleteOldDevices } from '../domain/accounts/device-queries.ts';
import { deleteOldInvitations } from '../domain/accounts/invitation-queries.ts';
import { notifyDuePeople } from '../domain/accounts/notify-people.ts';
import { deleteOldPasskeyChallenges } from '../domain/accounts/passkey-queries.ts';
import { deleteOldAccountSignIns } from '../domain/accounts/queries.ts';
import { readDueCalendars } from '../domain/boats/read-calendars.ts';
import { captureDue } from '../domain/checkouts/capture/capture.ts';
import { applyDueProcessorEvents } from '../domain/checkouts/disputes/apply-disputes.ts';
import { expireDue } from '../domain/checkouts/expire.ts';
import { settleDueHolds } from '../domain/checkouts/holds/settle-hold.ts';
import { notifyDueGuests } from '../domain/checkouts/notifications/notify-guests.ts';
import { deleteOldDrafts } from '../domain/checkouts/party/draft-queries.ts';
import { linkReadyVenues } from '../domain/go-live/link-when-ready.ts';
import { applyDueDeliveries } from '../domain/hooks/apply-due-deliveries.ts';
import { deleteOldInbound } from '../domain/hooks/deliveries/retention-queries.ts';
import { readDueObjects } from '../domain/hooks/readers/read-due-objects.ts';
import { deleteOldReads } from '../domain/hooks/readers/read-queries.ts';
import { deleteOldSyncs } from '../domain/hooks/readers/sync-queries.ts';
import { deleteOldResponses } from '../domain/idempotency/stored-responses.ts';
import { deleteOldImages, fetchDueImages } from '../domain/images/fetch-images.ts';
import { recordAlive } from '../domain/installation/record-gaps.ts';
import { deleteOldDailyUses } from '../domain/keys/daily-use-queries.ts';
import { noticeExpiringKeys } from '../domain/keys/notice-expiring-keys.ts';
import { deleteExpiredCalls, deleteIdleWindows } from '../domain/keys/queries.ts';
import { deleteOldMails } from '../domain/mail/queries.ts';
import { sendDueMails } from '../domain/mail/send.ts';
import { deleteOldMessages } from '../domain/members/messages/queries.ts';
import { sendDueMessages } from '../domain/members/messages/send.ts';
import { deleteOldSignIns } from '../domain/members/queries.ts';
import { deleteOldNotices } from '../domain/notices/queries.ts';
import { deleteOldDeclines } from '../domain/payments/decline-queries.ts';
import { deleteOldProcessorEvents } from '../domain/payments/dispute-queries.ts';
import { refreshDuePayoutAccounts } from '../domain/payments/refresh-payout-accounts.ts';
import { settleDueMovements } from '../domain/payments/settle-movements.ts';
import { truncateOldRequests } from '../domain/requests/queries.ts';
import { deleteOldEvents } from '../domain/webhooks/delete-old-events.ts';
import { deliverUntilStopped, dispatchDue } from '../domain/webhooks/deliveries/deliver.ts';
import { deleteOldDeliveries } from '../domain/webhooks/deliveries/queries.ts';
import { deleteOldSamples } from '../domain/webhooks/deliveries/sample-queries.ts';
import { deleteOldInboxMessages } from '../domain/webhooks/inbox/queries.ts';
import { noticeFailingEndpoints } from '../domain/webhooks/notice-failing-endpoints.ts';
import { CHECK_LOOPS } from './check-loops.ts';
import type { Loop } from './loop.ts';

/** For loops that a guest or a venue waits for. */
const FAST_INTERVAL_SECONDS = 0.5;
const FAST_WAKE_MS = 100;
/** A notice mostly means an event to deliver. These looks find nothing then, and beside it they cost it 5 ms. */
const FAST = { wakeMs: FAST_WAKE_MS, yieldMs: 20 } as const;
/** For the steps from the last card to the event that says so: each adds up to this long. */
const PAYMENT_WAKE_MS = 20;

/** Loops that are woken look in this order: the first are those that a partner waits for. */
export const LOOPS: readonly Loop[] = [
  {
    name: 'dispatch-events',
    intervalSeconds: 0.25,
    wakeMs: PAYMENT_WAKE_MS,
    batchSize: 500,
    step: ({ deliveries }, batch) => dispatchDue(deliveries, batch),
  },
  {
    name: 'settle-holds',
    intervalSeconds: FAST_INTERVAL_SECONDS,
    wakeMs: PAYMENT_WAKE_MS,
    batchSize: 100,
    step: ({ payments }, batch) => settleDueHolds(payments, batch),
  },
  {
    name: 'capture-funded',
    intervalSeconds: FAST_INTERVAL_SECONDS,
    wakeMs: PAYMENT_WAKE_MS,
    batchSize: 50,
    step: ({ payments }, batch) => captureDue(payments, batch),
  },
  {
    name: 'expire-checkouts',
    intervalSeconds: FAST_INTERVAL_SECONDS,
    batchSize: 1_000,
    step: ({ payments }, batch) => expireDue(payments, batch),
  },
  {
    name: 'settle-movements',
    intervalSeconds: FAST_INTERVAL_SECONDS,
    batchSize: 100,
    step: ({ payments }, batch) => settleDueMovements(payments, batch),
  },
  {
    name: 'refresh-payout-accounts',
    intervalSeconds: 2,
    batchSize: 20,
    step: ({ payments }, batch) => refreshDuePayoutAccounts(payments, batch),
  },
  {
    name: 'link-ready-venues',
    intervalSeconds: 2,
    batchSize: 500,
    step: ({ payments }, batch) => linkReadyVenues(payments, batch),
  },
  ...CHECK_LOOPS,
  {
    name: 'notify-guests',
    intervalSeconds: 1,
    batchSize: 100,
    step: ({ payments }, batch) => notifyDueGuests(payments, batch),
  },
  {
    name: 'send-messages',
    intervalSeconds: FAST_INTERVAL_SECONDS,
    ...FAST,
    batchSize: 50,
    step: ({ payments, sender }, batch) => sendDueMessages({ ...payments, sender }, batch),
  },
  {
    name: 'send-mails',
    intervalSeconds: 1,
    ...FAST,
    batchSize: 20,
    step: ({ payments, mailSender }, batch) => sendDueMails({ ...payments, mailSender }, batch),
  },
  {
    name: 'notify-people',
    intervalSeconds: 2,
    batchSize: 50,
    step: ({ payments }, batch) => notifyDuePeople(payments, batch),
  },
  {
    name: 'find-expiring-keys',
    intervalSeconds: 600,
    batchSize: 500,
    step: ({ payments }, batch) => noticeExpiringKeys(payments, batch),
  },
  {
    name: 'find-failing-endpoints',
    intervalSeconds: 60,
    batchSize: 500,
    step: ({ payments }, batch) => noticeFailingEndpoints(payments, batch),
  },
  {
    name: 'delete-old-notices',
    intervalSeconds: 3_600,
    batchSize: 1_000,
    step: ({ payments }, batch) => deleteOldNotices(payments.db, payments.clock.now(), batch),
  },
  {
    name: 'delete-old-mails',
    intervalSeconds: 3_600,
    batchSize: 1_000,
    step: ({ payments }, batch) => deleteOldMails(payments.db, payments.clock.now(), batch),
  },
  {
    name: 'delete-old-sign-ins',
    intervalSeconds: 600,
    batchSize: 1_000,
    step: ({ payments }, batch) => deleteOldSignIns(payments.db, payments.clock.now(), batch),
  },
  {
    name: 'delete-old-account-sign-ins',
    intervalSeconds: 600,
    batchSize: 1_000,
    step: ({ payments }, batch) => deleteOldAccountSignIns(payments.db, payments.clock.now(), batch),
  },
  {
    name: 'delete-old-passkey-challenges',
    intervalSeconds: 600,
    batchSize: 1_000,
    step: ({ payments }, batch) => deleteOldPasskeyChallenges(payments.db, payments.clock.now(), batch),
  },
  {
    name: 'delete-old-devices',
    intervalSeconds: 3_600,
    batchSize: 1_000,
    step: ({ payments }, batch) => deleteOldDevices(payments.db, payments.clock.now(), batch),
  },
  {
    name: 'delete-old-invitations',
    intervalSeconds: 3_600,
    batchSize: 1_000,
    step: ({ payments }, batch) => deleteOldInvitations(payments.db, payments.clock.now(), batch),
  },
  {
    name: 'delete-old-drafts',
    intervalSeconds: 3_600,
    batchSize: 1_000,
    step: ({ payments }, batch) => deleteOldDrafts(payments.db, payments.clock.now(), batch),
  },
  {
    name: 'delete-old-messages',
    intervalSeconds: 3_600,
    batchSize: 1_000,
    step: ({ payments }, batch) => deleteOldMessages(payments.db, payments.clock.now(), batch),
  },
  {
    name: 'deliver-events',
    intervalSeconds: 1,
    batchSize: Number.POSITIVE_INFINITY,
    // One step runs until the worker stops, so that a slow delivery does not delay the others.
    observesRounds: true,
    step: ({ deliveries }, _batch, signal, onTurn, onRound) =>
      deliverUntilStopped({ ...deliveries, onTurn, onRound }, signal),
  },
  {
    name: 'delete-old-deliveries',
    intervalSeconds: 600,
    batchSize: 1_000,
    step: ({ db, clock, retention }, batch) => deleteOldDeliveries(db, clock.now(), retention.deliveryLogDays, batch),
  },
  {
    name: 'delete-old-events',
    intervalSeconds: 600,
    batchSize: 1,
    step: ({ db, clock, retention }) => deleteOldEvents(db, clock.now(), retention.eventLogDays),
  },
  {
    name: 'delete-old-samples',
    intervalSeconds: 600,
    batchSize: 1_000,
    step: ({ db, clock, retention }, batch) => deleteOldSamples(db, clock.now(), retention.deliveryLogDays, batch),
  },
  {
    name: 'delete-old-inbox-messages',
    intervalSeconds: 600,
    batchSize: 1_000,
    step: ({ db, clock }, batch) => deleteOldInboxMessages(db, clock.now(), batch),
  },
  {
    name: 'apply-hooks',
    intervalSeconds: FAST_INTERVAL_SECONDS,
    ...FAST,
    batchSize: 200,
    step: ({ hooks }, batch) => applyDueDeliveries(hooks, batch),
  },
  {
    name: 'read-venue-systems',
    intervalSeconds: 1,
    ...FAST,
    batchSize: 20,
    step: ({ reads }, batch) => readDueObjects(reads, batch),
  },
  {
    name: 'delete-old-reads',
    intervalSeconds: 3_600,
    batchSize: 1_000,
    step: async ({ db, clock }, batch) =>
      Math.max(await deleteOldReads(db, clock.now(), batch), await deleteOldSyncs(db, clock.now(), batch)),
  },
  {
    name: 'delete-old-hooks',
    intervalSeconds: 3_600,
    batchSize: 1_000,
    step: ({ db, clock }, batch) => deleteOldInbound(db, clock.now(), batch),
  },
  {
    name: 'apply-processor-events',
    intervalSeconds: 2,
    batchSize: 50,
    step: ({ payments }, batch) => applyDueProcessorEvents(payments, batch),
  },
  {
    name: 'delete-old-declines',
    intervalSeconds: 600,
    batchSize: 1_000,
    step: ({ payments }, batch) => deleteOldDeclines(payments.db, payments.clock.now(), batch),
  },
  {
    name: 'delete-old-processor-events',
    intervalSeconds: 3_600,
    batchSize: 1_000,
    step: ({ payments }, batch) => deleteOldProcessorEvents(payments.db, payments.clock.now(), batch),
  },
  {
    name: 'record-alive',
    intervalSeconds: 60,
    batchSize: 1,
    step: async ({ db, clock }) => {
      await recordAlive(db, clock.now());
      return 0;
    },
  },
  {
    name: 'delete-expired-calls',
    intervalSeconds: 60,
    batchSize: 5_000,
    step: ({ db }, batch) => deleteExpiredCalls(db, batch),
  },
  {
    name: 'delete-idle-windows',
    intervalSeconds: 6 * 3_600,
    batchSize: 5_000,
    step: ({ db }, batch) => deleteIdleWindows(db, batch),
  },
  {
    name: 'delete-old-daily-uses',
    intervalSeconds: 600,
    batchSize: 1_000,
    step: ({ db }, batch) => deleteOldDailyUses(db, batch),
  },
  {
    name: 'delete-old-responses',
    intervalSeconds: 600,
    batchSize: 1_000,
    step: ({ db, clock, retention }, batch) =>
      deleteOldResponses(db, clock.now(), retention.idempotencyKeyDays * DAY_MS, batch),
  },
  {
    name: 'delete-old-requests',
    intervalSeconds: 3_600,
    batchSize: 1_000,
    step: ({ db, clock, retention }) => truncateOldRequests(db, clock.now(), retention.requestLogDays),
  },
  {
    name: 'read-calendars',
    intervalSeconds: 10,
    batchSize: 10,
    step: ({ db, outbound, clock }, batch, signal) => readDueCalendars(db, outbound, () => clock.now(), batch, signal),
  },
  {
    name: 'fetch-images',
    intervalSeconds: 2,
    batchSize: 8,
    step: (services, batch, signal) => fetchDueImages(services, batch, signal),
  },
  {
    name: 'delete-old-images',
    intervalSeconds: 3_600,
    batchSize: 500,
    step: ({ db, clock }, batch) => deleteOldImages(db, clock.now(), batch),
  },
];
