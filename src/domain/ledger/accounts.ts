// The chart of accounts, and the accounts that each kind of entry debits and credits. The database has the same chart,
// and a test compares the two.

export const ACCOUNTS = {
  processor_balance: { side: 'debit', meaning: 'what the processor keeps for us' },
  guest_funds: { side: 'credit', meaning: 'captured from guests, for a booking that is not complete yet' },
  venue_payable: {
    side: 'credit',
    meaning: 'what we owe a venue; below zero, what it owes us until a transfer is taken back',
  },
  fee_income: { side: 'credit', meaning: 'our fee' },
  processor_fees: { side: 'debit', meaning: 'what the processor has charged us for its service' },
  venue_debts: { side: 'debit', meaning: 'what venues owe us because a transfer could not be taken back' },
  written_off: {
    side: 'debit',
    meaning:
      'our losses: what venues owed us and an operator has written off, and what disputes took beyond their shares',
  },
  disputed_funds: { side: 'debit', meaning: 'what the processor took back because a guest disputed a charge' },
  paid_elsewhere: {
    side: 'credit',
    meaning: 'failed refunds and transfers that an operator has paid outside of the processor',
  },
} as const;

export type AccountName = keyof typeof ACCOUNTS;

/** The debit and credit of each kind of entry. A subject has at most one entry of a kind. */
export const ENTRY_KINDS = {
  /** A guest was charged. Subject: the hold. */
  capture: { debit: 'processor_balance', credit: 'guest_funds' },
  /** The processor charged us for a charge; a refund returns none of it. Subject: the hold. */
  processor_fee: { debit: 'processor_fees', credit: 'processor_balance' },
  /** The checkout completed: the venue has earned its part. Subject: the hold. */
  earning: { debit: 'guest_funds', credit: 'venue_payable' },
  /** The checkout completed: we have earned our fee. Subject: the hold. */
  fee: { debit: 'guest_funds', credit: 'fee_income' },
  /** The venue was paid. Subject: the movement. */
  transfer: { debit: 'venue_payable', credit: 'processor_balance' },
  /** An operator has paid a failed transfer to the venue in another way. Subject: the movement. */
  transfer_closed: { debit: 'venue_payable', credit: 'paid_elsewhere' },
  /** A transfer was reversed. Subject: the movement. */
  reversal: { debit: 'processor_balance', credit: 'venue_payable' },
  /** A transfer could not be taken back, or was never sent as a whole: the venue owes it. Subject: the reversal. */
  debt: { debit: 'venue_debts', credit: 'venue_payable' },
  /** A part of a transfer was not sent, and settles what the venue owes. Subject: the transfer. */
  debt_paid: { debit: 'venue_payable', credit: 'venue_debts' },
  /** An operator has written off what a venue owes: the loss is ours. Subject: the reversal. */
  debt_written_off: { debit: 'written_off', credit: 'venue_debts' },
  /** A guest was refunded from the venue's part. Subject: the movement. */
  refund: { debit: 'venue_payable', credit: 'processor_balance' },
  /** A guest was refunded from our fee. Subject: the movement. */
  fee_return: { debit: 'fee_income', credit: 'processor_balance' },
  /** A guest got a capture back because the checkout never completed. Subject: the movement. */
  return: { debit: 'guest_funds', credit: 'processor_balance' },
  /** A refund from the venue's part failed after it was done: the money is back on our balance. Subject: the movement. */
  refund_failed: { debit: 'processor_balance', credit: 'venue_payable' },
  /** A refund from our fee failed after it was done. Subject: the movement. */
  fee_return_failed: { debit: 'processor_balance', credit: 'fee_income' },
  /** The return of a capture failed after it was done. Subject: the movement. */
  return_failed: { debit: 'processor_balance', credit: 'guest_funds' },
  /** An operator has paid a failed refund in another way: the venue's part of it. Subject: the movement. */
  refund_closed: { debit: 'venue_payable', credit: 'paid_elsewhere' },
  /** An operator has paid a failed refund in another way: our fee of it. Subject: the movement. */
  fee_return_closed: { debit: 'fee_income', credit: 'paid_elsewhere' },
  /** An operator has paid the failed return of a capture in another way. Subject: the movement. */
  return_closed: { debit: 'guest_funds', credit: 'paid_elsewhere' },
  /** The processor withdrew money for a dispute. Subject: the dispute. */
  dispute: { debit: 'disputed_funds', credit: 'processor_balance' },
  /** The processor charged us for a dispute. Subject: the dispute. */
  dispute_fee: { debit: 'processor_fees', credit: 'processor_balance' },
  /** The processor gave back what it charged for a dispute. Subject: the dispute. */
  dispute_fee_returned: { debit: 'processor_balance', credit: 'processor_fees' },
  /** The processor reinstated the money of a dispute. Subject: the dispute. */
  dispute_won: { debit: 'processor_balance', credit: 'disputed_funds' },
  /** A dispute was lost: the venue bears its part. Subject: the dispute. */
  dispute_lost: { debit: 'venue_payable', credit: 'disputed_funds' },
  /** A dispute was lost: our fee of that part is lost too. Subject: the dispute. */
  dispute_fee_lost: { debit: 'fee_income', credit: 'disputed_funds' },
  /** A dispute was lost on a charge that was to be returned: the guest has the money already. Subject: the dispute. */
  dispute_returned: { debit: 'guest_funds', credit: 'disputed_funds' },
  /** A lost dispute took more than the share can bear, mostly because the guest had been paid before: our loss. Subject: the dispute. */
  dispute_paid_twice: { debit: 'written_off', credit: 'disputed_funds' },
  /** The processor gave back a loss that was divided: the venue has its part again. Subject: the dispute. */
  dispute_loss_returned: { debit: 'disputed_funds', credit: 'venue_payable' },
  /** The processor gave back a loss that was divided: our fee of it is ours again. Subject: the dispute. */
  dispute_fee_loss_returned: { debit: 'disputed_funds', credit: 'fee_income' },
  /** The processor gave back the loss of a charge that was to be returned: it is owed to the guest again. Subject: the dispute. */
  dispute_return_owed: { debit: 'disputed_funds', credit: 'guest_funds' },
  /** The processor gave back a loss that was ours. Subject: the dispute. */
  dispute_own_loss_returned: { debit: 'disputed_funds', credit: 'written_off' },
  /** A venue gets back what it bore of a loss, and owes again what was written off of it. Subject: the reversal. */
  debt_write_off_undone: { debit: 'venue_debts', credit: 'written_off' },
} as const satisfies Record<string, { debit: AccountName; credit: AccountName }>;

export type EntryKind = keyof typeof ENTRY_KINDS;

export interface Entry {
  readonly kind: EntryKind;
  readonly subject: string;
  readonly amount: number;
}
