// For how many days the tables that grow with every call keep their rows: four settings, each with a default. Every server and
// worker of a database needs the same values, because servers read by them and workers delete by them.

export interface Retention {
  /** null: events are never deleted. */
  readonly eventLogDays: number | null;
  readonly deliveryLogDays: number;
  readonly idempotencyKeyDays: number;
  readonly requestLogDays: number;
}

/** The part of the reader in config.ts that this file needs. */
interface SettingReader {
  readonly problems: string[];
  integer(name: string, fallback: number, min: number, max: number): number;
}

/** Partners are promised this long for deliveries and for idempotency keys. */
const PROMISED_DAYS = 30;
const MAX_DAYS = 400;
const MAX_EVENT_DAYS = 3_650;
/**
 * An event is kept for longer than what refers to it: a delivery can be sent again until its last day, and is then tried for
 * three days more.
 */
const EVENT_MARGIN_DAYS = 7;

export const DAY_MS = 86_400_000;

export function readRetention(read: SettingReader): Retention {
  const deliveryLogDays = read.integer('DELIVERY_LOG_DAYS', PROMISED_DAYS, PROMISED_DAYS, MAX_DAYS);
  const idempotencyKeyDays = read.integer('IDEMPOTENCY_KEY_DAYS', PROMISED_DAYS, PROMISED_DAYS, MAX_DAYS);
  const eventLogDays = read.integer('EVENT_LOG_DAYS', 0, 0, MAX_EVENT_DAYS);
  const minEventDays = Math.max(deliveryLogDays, idempotencyKeyDays) + EVENT_MARGIN_DAYS;
  if (eventLogDays > 0 && eventLogDays < minEventDays)
    read.problems.push(
      `EVENT_LOG_DAYS is ${eventLogDays}: set it to at least ${minEventDays}, a week more than DELIVERY_LOG_DAYS and IDEMPOTENCY_KEY_DAYS, or to 0, which keeps all events.`,
    );
  return {
    eventLogDays: eventLogDays === 0 ? null : eventLogDays,
    deliveryLogDays,
    idempotencyKeyDays,
    requestLogDays: read.integer('REQUEST_LOG_DAYS', 7, 1, 30),
  };
}

export const DEFAULT_RETENTION: Retention = {
  eventLogDays: null,
  deliveryLogDays: PROMISED_DAYS,
  idempotencyKeyDays: PROMISED_DAYS,
  requestLogDays: 7,
};
