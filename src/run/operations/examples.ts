// How the example of an answer differs from the example of its schema: the answer to a cancel shows a canceled checkout.
// A test makes the calls and compares the state of each answer with its example.

const share = (id: string, name: string, isOrganizer: boolean) => (status: string, heldAt: string | null) => ({
  id,
  amount: 12_000,
  status,
  is_organizer: isOrganizer,
  display_name: name,
  held_at: heldAt,
  refunded_amount: status === 'refunded' ? 12_000 : 0,
});
const ada = share('shr_01jz3k8r1c5m2n9t4w6x8y0abd', 'Ada', true);
const sam = share('shr_01jz3k8r1c5m2n9t4w6x8y0abe', 'Sam', false);
const ADA_HELD_AT = '2027-06-01T15:04:05Z';
const SAM_HELD_AT = '2027-06-02T10:00:00Z';

/** A checkout in each state, and between two of them. The example of the schema itself is completed. */
export const CHECKOUT = {
  open: { status: 'open', shares: [], funded_amount: 0, completed_at: null },
  collecting: {
    status: 'collecting',
    shares: [ada('invited', null), sam('invited', null)],
    funded_amount: 0,
    completed_at: null,
  },
  oneHeld: {
    status: 'collecting',
    shares: [ada('held', ADA_HELD_AT), sam('invited', null)],
    funded_amount: 12_000,
    completed_at: null,
  },
  funded: { status: 'funded', shares: [ada('held', ADA_HELD_AT), sam('held', SAM_HELD_AT)], completed_at: null },
  completed: { status: 'completed' },
  expired: {
    status: 'expired',
    shares: [ada('released', ADA_HELD_AT), sam('invited', null)],
    funded_amount: 0,
    completed_at: null,
  },
  canceled: {
    status: 'canceled',
    shares: [ada('released', ADA_HELD_AT), sam('invited', null)],
    funded_amount: 0,
    completed_at: null,
  },
  refunded: {
    status: 'completed',
    shares: [ada('refunded', ADA_HELD_AT), sam('refunded', SAM_HELD_AT)],
    refunded_amount: 24_000,
  },
} as const;

/** The members of an upsert's answer, for an object that is new, changed, or sent again as it was. */
export const NEW = { duplicate: false, updated: false };
export const CHANGED = { duplicate: false, updated: true };

export const REVIEWED = { status: 'approved', reviewed_at: '2027-05-02T09:15:00.000456Z' };

/** An endpoint after `disable`, and after `enable`. */
export const DISABLED_ENDPOINT = {
  status: 'disabled',
  disabled_at: '2027-05-02T09:15:00.000456Z',
  disabled_reason: 'requested',
};
export const ACTIVE_ENDPOINT = { status: 'active', disabled_at: null, disabled_reason: null };

export const DELIVERY_AGAIN = { status: 'pending', next_attempt_at: '2027-06-02T10:05:00Z', delivered_at: null };

/** The answer that shows the address and the secret, which no later one does. */
export const NEW_INTEGRATION = {
  last_delivery_at: null,
  delivery_count: 0,
  last_refused: null,
  webhook_url: 'https://api.everyshare.example/v1/hooks/custom/9f2c7b1e4a6d',
  signing_secret: 'whsec_4f9b1c7e2a6d8053b7e1f0c92d6a4e8b',
};

/** An integration that reads from its venue system. */
export const READING = {
  data: {
    provider: 'eventbrite',
    signed: false,
    reads: {
      status: 'active',
      reason: null,
      credential_fields: [
        {
          name: 'token',
          label: 'Private token',
          where: 'Account Settings > Developer Links > API Keys',
          required: true,
          secret: true,
          is_set: true,
        },
      ],
      set_at: '2027-05-01T12:00:00.000123Z',
      waiting: 0,
      next_attempt_at: null,
      last_read_at: null,
      requests_today: 0,
      requests_per_day: 5000,
    },
  },
};

export const INBOUND_AGAIN = { status: 'pending', reason: null, applied_at: null };

/** What Sam sees after taking a seat. */
export const GUEST_WITH_SEAT = {
  status: 'collecting',
  shares: CHECKOUT.collecting.shares.map(({ refunded_amount, ...seen }) => ({
    ...seen,
    is_open_seat: false,
    covered_by: null,
    renew_by: null,
  })),
  funded_amount: 0,
  completed_at: null,
  my_share_id: 'shr_01jz3k8r1c5m2n9t4w6x8y0abe',
};

/** The seat of Sam, who has left the party. */
const OPENED = {
  id: 'shr_01jz3k8s4d5m2n9t4w6x8y0abf',
  amount: 12_000,
  status: 'invited',
  is_organizer: false,
  display_name: null,
  held_at: null,
  is_open_seat: true,
};
const SHARES_AFTER_LEAVING = GUEST_WITH_SEAT.shares.map((seen) => (seen.is_organizer ? seen : { ...seen, ...OPENED }));

/** What Sam sees after saying no. */
export const GUEST_WHO_LEFT = { ...GUEST_WITH_SEAT, shares: SHARES_AFTER_LEAVING, my_share_id: null };

/** What Ada, the organizer, sees after removing Sam. */
export const SEAT_OPENED = { ...GUEST_WHO_LEFT, my_share_id: 'shr_01jz3k8r1c5m2n9t4w6x8y0abd' };
