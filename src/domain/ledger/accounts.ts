// The chart of accounts, and which accounts each kind of entry moves money between. The database has the same chart; a
// test proves that both agree.

export const ACCOUNTS = {
  processor_balance: { side: 'debit', meaning: 'what the processor keeps for us' },
  guest_funds: { side: 'credit', meaning: 'captured from guests, for a booking that is not complete yet' },
  venue_payable: {
    side: 'credit',
    meaning: 'what we owe a venue; below zero, what it owes us until a transfer is taken back',
  },
  fee_income: { side: 'credit', meaning: 'our fee' },
  disputed_funds: { side: 'debit', meaning: 'what the processor took back because a guest disputed a charge' },
} as const;

export type AccountName = keyof typeof ACCOUNTS;

/** Each kind of entry: what is debited, and what is credited. Its subject can have it once. */
export const ENTRY_KINDS = {
  /** A guest was charged. Subject: the hold. */
  capture: { debit: 'processor_balance', credit: 'guest_funds' },
  /** The booking is complete: the venue has earned its part. Subject: the hold. */
  earning: { debit: 'guest_funds', credit: 'venue_payable' },
  /** And we our fee. Subject: the hold. */
  fee: { debit: 'guest_funds', credit: 'fee_income' },
  /** The venue was paid. Subject: the movement. */
  transfer: { debit: 'venue_payable', credit: 'processor_balance' },
  /** A transfer was taken back. Subject: the movement. */
  reversal: { debit: 'processor_balance', credit: 'venue_payable' },
  /** A guest got money back from the venue's part. Subject: the movement. */
  refund: { debit: 'venue_payable', credit: 'processor_balance' },
  /** And from our fee. Subject: the movement. */
  fee_return: { debit: 'fee_income', credit: 'processor_balance' },
  /** A guest got everything back, because the booking never became complete. Subject: the movement. */
  return: { debit: 'guest_funds', credit: 'processor_balance' },
  /** The processor took money back for a dispute. Subject: the dispute. */
  dispute: { debit: 'disputed_funds', credit: 'processor_balance' },
  /** And gave it back. Subject: the dispute. */
  dispute_won: { debit: 'processor_balance', credit: 'disputed_funds' },
} as const satisfies Record<string, { debit: AccountName; credit: AccountName }>;

export type EntryKind = keyof typeof ENTRY_KINDS;

export interface Entry {
  readonly kind: EntryKind;
  readonly subject: string;
  readonly amount: number;
}
