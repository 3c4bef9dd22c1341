// The types of stored rows, one for each kind of object. A row is never changed in place: a change is a new row with
// the same id, so a snapshot can be written while requests are served. Times are Unix seconds unless the name ends in
// `Ms`. The names of tables and fields are in the journal on disk: renaming one needs a migration of old journals.

import type { AdviceCode } from './cards.ts';

export type Mode = 'test' | 'live';

export type Metadata = Readonly<Record<string, string>>;

export interface CardFailure {
  readonly code: string;
  readonly decline: string | null;
  /** Absent: the issuer gives no advice. */
  readonly advice?: AdviceCode;
  readonly message: string;
}

export interface IntentRow {
  readonly id: string;
  readonly created: number;
  readonly amount: number;
  readonly currency: string;
  readonly capture: 'manual' | 'automatic' | 'automatic_async';
  readonly secret: string;
  readonly status:
    | 'requires_payment_method'
    | 'requires_confirmation'
    | 'requires_action'
    | 'requires_capture'
    | 'succeeded'
    | 'canceled';
  readonly customer: string | null;
  readonly futureUse: 'off_session' | 'on_session' | null;
  readonly method: string | null;
  readonly charge: string | null;
  readonly metadata: Metadata;
  readonly description: string | null;
  readonly group: string | null;
  readonly receiptEmail: string | null;
  readonly automaticMethods: boolean;
  readonly methodTypes: readonly string[];
  readonly capturable: number;
  readonly received: number;
  readonly canceledAt: number | null;
  readonly cancelReason: string | null;
  readonly failure: (CardFailure & { readonly charge: string | null; readonly method: string }) | null;
  readonly returnUrl: string | null;
  /** The random token of the open 3-D Secure page. */
  readonly challenge: string | null;
  readonly offSession: boolean;
  /** The merchant asks for an extended authorization. Absent in older journals: it did not. */
  readonly asksForExtension?: boolean;
  /** The end of the text on the card statement. Absent in older journals: there is none. */
  readonly statementSuffix?: string | null;
  /** The merchant's server has confirmed it, and Stripe.js leads the guest through 3-D Secure. Absent: a redirect does. */
  readonly usesSdk?: boolean;
}

export interface ChargeRow {
  readonly id: string;
  readonly created: number;
  readonly intent: string;
  readonly amount: number;
  readonly currency: string;
  readonly customer: string | null;
  readonly method: string;
  readonly description: string | null;
  readonly group: string | null;
  readonly metadata: Metadata;
  readonly failure: CardFailure | null;
  readonly authenticated: boolean;
  readonly captured: boolean;
  readonly amountCaptured: number;
  /** Refunded out of what was captured; an uncaptured remainder is not counted. */
  readonly refunded: number;
  /** The hold ended without a capture: canceled or expired. */
  readonly released: boolean;
  readonly transferred: number;
  readonly dispute: string | null;
  readonly captureBefore: number | null;
  /** An extended authorization was given. Absent in older journals: it was not. */
  readonly isExtended?: boolean;
  readonly captureTries: number;
  /** When its balance transaction is known; absent: with the capture. */
  readonly settlesAt?: number;
}

export interface RefundRow {
  readonly id: string;
  readonly created: number;
  readonly charge: string;
  readonly intent: string;
  readonly amount: number;
  readonly currency: string;
  readonly reason: string | null;
  readonly metadata: Metadata;
  /** Absent: succeeded. */
  readonly status?: 'pending' | 'succeeded' | 'failed';
  /** Pending because the platform's balance does not cover it; absent: for another reason. */
  readonly waitsForFunds?: boolean;
  /** It failed because no funds came. */
  readonly lackedFunds?: boolean;
  /** What it becomes later, and when; null or absent: nothing. */
  readonly next?: { readonly status: 'succeeded' | 'failed'; readonly at: number } | null;
}

export interface CustomerRow {
  readonly id: string;
  readonly created: number;
  readonly email: string | null;
  readonly name: string | null;
  readonly phone: string | null;
  readonly description: string | null;
  readonly metadata: Metadata;
}

export interface MethodRow {
  readonly id: string;
  readonly created: number;
  /** The test card's name in cards.ts; the number is not stored. */
  readonly card: string;
  readonly expMonth: number;
  readonly expYear: number;
  readonly customer: string | null;
  readonly billing: { readonly email: string | null; readonly name: string | null; readonly postal: string | null };
  /** It has paid without belonging to a customer: it can never be used again. Absent: it has not. */
  readonly isSpent?: boolean;
}

export interface AccountRow {
  readonly id: string;
  readonly created: number;
  readonly type: string;
  readonly country: string;
  readonly email: string | null;
  readonly businessName: string | null;
  readonly metadata: Metadata;
  /** The onboarding form was completed. */
  readonly onboarded: boolean;
  /** Absent: the transfers capability follows from `onboarded`. */
  readonly transfers?: Exclude<TransfersStatus, 'active'>;
  /** The newest onboarding links, newest first. */
  readonly links?: readonly AccountLinkRow[];
}

export type TransfersStatus = 'active' | 'pending' | 'restricted' | 'rejected';

export interface AccountLinkRow {
  readonly token: string;
  /** The random token of the page that was opened with the link; null: it was not opened yet. */
  readonly form: string | null;
  readonly refreshUrl: string;
  readonly returnUrl: string | null;
  readonly until: number;
}

export interface TransferRow {
  readonly id: string;
  readonly created: number;
  readonly amount: number;
  readonly currency: string;
  readonly destination: string;
  readonly source: string | null;
  readonly group: string | null;
  readonly description: string | null;
  readonly metadata: Metadata;
  readonly reversed: number;
}

export interface ReversalRow {
  readonly id: string;
  readonly created: number;
  readonly transfer: string;
  readonly amount: number;
  readonly currency: string;
  readonly metadata: Metadata;
}

export interface DisputeRow {
  readonly id: string;
  readonly created: number;
  readonly charge: string;
  readonly intent: string;
  readonly amount: number;
  readonly currency: string;
  readonly reason: string;
  readonly status:
    | 'warning_needs_response'
    | 'warning_closed'
    | 'needs_response'
    | 'under_review'
    | 'won'
    | 'lost'
    | 'prevented';
  readonly metadata: Metadata;
  /** What the processor charged for the dispute. Absent in older journals: nothing. */
  readonly fee?: number;
  /** An inquiry: nothing was withdrawn. */
  readonly isInquiry?: boolean;
  /** What was given back when it was closed. Absent in older journals: all of a won dispute. */
  readonly reinstated?: number;
  /** What was given back after it was closed. */
  readonly reinstatedLater?: number;
  /** The fee was given back when the dispute was won. */
  readonly isFeeReturned?: boolean;
  readonly closedAt?: number;
}

/** Money that left a balance for a bank account. */
export interface PayoutRow {
  readonly id: string;
  readonly created: number;
  /** The connected account; null: the platform. */
  readonly account: string | null;
  readonly amount: number;
  readonly currency: string;
  readonly automatic: boolean;
  readonly description: string | null;
  readonly metadata: Metadata;
}

/** Money that the platform has paid into its balance. */
export interface TopUpRow {
  readonly id: string;
  readonly created: number;
  readonly amount: number;
  readonly currency: string;
  readonly description: string | null;
  readonly metadata: Metadata;
}

/** How often a balance is paid out. */
export type PayoutInterval = 'daily' | 'manual';

/**
 * The id is an account's, or `platform`, or `accounts` for every account without a row of its own. The row `day` has the
 * last day, in days since 1970, whose automatic payouts were made.
 */
export interface PayoutSettingRow {
  readonly id: string;
  readonly interval?: PayoutInterval;
  readonly day?: number;
  /** Of the row `refunds`: a refund without funds waits; absent: it is debited from the platform's bank account. */
  readonly refundsWait?: boolean;
}

export interface EventRow {
  readonly id: string;
  readonly created: number;
  readonly type: string;
  /** The object of the event, as it was then. */
  readonly object: Readonly<Record<string, unknown>>;
  readonly request: { readonly id: string | null; readonly idempotency_key: string | null };
  readonly pending: number;
  /** The connected account that it happened to; absent: the platform's own account. */
  readonly account?: string;
  /** A thin event: it names the object that it is about, and has nothing of it. */
  readonly related?: { readonly id: string; readonly type: string; readonly url: string };
}

/** A domain whose pages may show wallets. */
export interface DomainRow {
  readonly id: string;
  readonly created: number;
  readonly name: string;
  readonly enabled: boolean;
  /** The domain has proved that it may show Apple Pay. Absent in older journals: it has. */
  readonly isVerified?: boolean;
}

export interface EndpointRow {
  readonly id: string;
  readonly created: number;
  readonly url: string;
  readonly events: readonly string[];
  readonly metadata: Metadata;
  readonly description: string | null;
  /** Whose events it gets; absent in older journals: `account`. */
  readonly kind?: EndpointKind;
  /** Absent in older journals: its events are signed with the secret of the mode. */
  readonly hasOwnSecret?: true;
  readonly isDisabled?: boolean;
  /** What API v2 adds: of an event destination alone. */
  readonly destination?: {
    readonly name: string;
    readonly eventsFrom: readonly string[];
    readonly updated: number;
  };
}

/** Of the platform's own account, of its connected accounts, or an event destination for thin events of API v2. */
export type EndpointKind = 'account' | 'connect' | 'destination';

/** An event that an endpoint has not yet accepted. The id is `<event> <endpoint>`. */
export interface DeliveryRow {
  readonly id: string;
  readonly event: string;
  readonly endpoint: string;
  /** The mode of the endpoint, where it is not the event's. */
  readonly endpointMode?: Mode;
  readonly tries: number;
  readonly dueMs: number;
}

/** The response stored for an idempotency key. */
export interface StoredResponseRow {
  readonly id: string;
  readonly created: number;
  readonly fingerprint: string;
  readonly status: number;
  readonly body: string;
  readonly request: string;
}

export interface Rows {
  intents: IntentRow;
  charges: ChargeRow;
  refunds: RefundRow;
  customers: CustomerRow;
  methods: MethodRow;
  accounts: AccountRow;
  transfers: TransferRow;
  reversals: ReversalRow;
  disputes: DisputeRow;
  payouts: PayoutRow;
  topUps: TopUpRow;
  payoutSettings: PayoutSettingRow;
  events: EventRow;
  endpoints: EndpointRow;
  domains: DomainRow;
  deliveries: DeliveryRow;
  answers: StoredResponseRow;
}

export type TableName = keyof Rows;
