// The test cards as data: what each number does. Stripe's test numbers behave as at Stripe; numbers that begin with
// 4000 0000 0070 are this sandbox's own. Any other number is refused: it could be a real card.

export type CardBrand = 'visa' | 'mastercard' | 'amex' | 'discover';

/** What the issuer advises after a decline. Which decline has which advice is a guess: Stripe lists only the values. */
export type AdviceCode = 'confirm_card_data' | 'do_not_try_again' | 'try_again_later';

export interface CardDecline {
  readonly code: string;
  readonly declineCode: string | null;
  readonly adviceCode?: AdviceCode;
  readonly message: string;
}

/** How a card differs from one that always works. */
export interface CardBehavior {
  /** Declines every confirmation. */
  readonly decline?: CardDecline;
  /** `always`: on-session payments need 3-D Secure; off-session payments are declined. */
  readonly authentication?: 'always';
  /** Declines after its owner has approved. */
  readonly declineAfterAuthentication?: CardDecline;
  /** Declines off-session payments, although the card was saved. */
  readonly declineOffSession?: CardDecline;
  readonly holdSeconds?: number;
  /** Gives a hold of 30 days where the merchant asks for it. At Stripe it depends on the network and the category. */
  readonly canExtendHold?: true;
  /** Declines a hold beside another one, as a card whose account has money for one of them. */
  readonly hasOneHoldAtATime?: true;
  /** The number of capture attempts that fail first; -1: all. */
  readonly failingCaptures?: number;
  readonly captureDecline?: CardDecline;
  readonly disputeReason?: string;
  /** Authorizes only half of the amount. */
  readonly isPartiallyAuthorized?: true;
  readonly delayMs?: number;
  /** What the status of its refunds is at first, and what it becomes half a minute later. */
  readonly refund?: { readonly first: 'pending' | 'succeeded'; readonly later: 'succeeded' | 'failed' };
  /** How long after the capture its balance transaction, and so the processor's fee, is known. */
  readonly settlesAfterSeconds?: number;
}

export interface TestCard extends CardBehavior {
  /** Never changes: saved payment methods refer to it. */
  readonly name: string;
  readonly number: string;
  readonly brand: CardBrand;
  /** Payment methods for servers, like Stripe's `pm_card_visa`. Lists show the first. */
  readonly tokens: readonly string[];
  readonly description: string;
  readonly group: 'works' | 'refused' | 'asks its owner' | 'trouble later';
}

export const declines = {
  generic: {
    code: 'card_declined',
    declineCode: 'generic_decline',
    adviceCode: 'try_again_later',
    message: 'Your card was declined.',
  },
  funds: {
    code: 'card_declined',
    declineCode: 'insufficient_funds',
    adviceCode: 'try_again_later',
    message: 'Your card has insufficient funds.',
  },
  lost: {
    code: 'card_declined',
    declineCode: 'lost_card',
    adviceCode: 'do_not_try_again',
    message: 'Your card was declined.',
  },
  stolen: {
    code: 'card_declined',
    declineCode: 'stolen_card',
    adviceCode: 'do_not_try_again',
    message: 'Your card was declined.',
  },
  expired: {
    code: 'expired_card',
    declineCode: null,
    adviceCode: 'confirm_card_data',
    message: 'Your card has expired.',
  },
  cvc: {
    code: 'incorrect_cvc',
    declineCode: null,
    adviceCode: 'confirm_card_data',
    message: "Your card's security code is incorrect.",
  },
  account: {
    code: 'card_declined',
    declineCode: 'invalid_account',
    adviceCode: 'confirm_card_data',
    message: 'Your card was declined.',
  },
  processing: {
    code: 'processing_error',
    declineCode: null,
    adviceCode: 'try_again_later',
    message: 'An error occurred while processing your card. Try again in a little bit.',
  },
  authentication: {
    code: 'authentication_required',
    declineCode: 'authentication_required',
    message: 'Your card was declined. This transaction requires authentication.',
  },
  failedAuthentication: {
    code: 'payment_intent_authentication_failure',
    declineCode: null,
    message:
      'We are unable to authenticate your payment method. Please choose a different payment method and try again.',
  },
  notATestCard: {
    code: 'card_declined',
    declineCode: 'test_mode_live_card',
    message:
      'Your card was declined. Your request was in test mode, but used a non test (live) card. For a list of valid test cards, visit: https://stripe.com/docs/testing.',
  },
  number: { code: 'incorrect_number', declineCode: null, message: 'Your card number is incorrect.' },
  month: { code: 'invalid_expiry_month', declineCode: null, message: "Your card's expiration month is invalid." },
  year: { code: 'invalid_expiry_year', declineCode: null, message: "Your card's expiration year is invalid." },
} satisfies Readonly<Record<string, CardDecline>>;

const WORKING_CARDS: readonly TestCard[] = [
  {
    name: 'visa',
    number: '4242424242424242',
    brand: 'visa',
    tokens: ['pm_card_visa'],
    description: 'Always works.',
    group: 'works',
  },
  {
    name: 'mastercard',
    number: '5555555555554444',
    brand: 'mastercard',
    tokens: ['pm_card_mastercard'],
    description: 'Always works; a hold lasts 30 days where extended authorization is requested.',
    group: 'works',
    canExtendHold: true,
  },
  {
    name: 'amex',
    number: '378282246310005',
    brand: 'amex',
    tokens: ['pm_card_amex'],
    description: 'Always works; its security code has four digits.',
    group: 'works',
  },
  {
    name: 'partial',
    number: '4000000000700056',
    brand: 'visa',
    tokens: ['pm_card_partialAuthorization'],
    description: 'Only half of the amount is held, which counts as a failure.',
    group: 'trouble later',
    isPartiallyAuthorized: true,
  },
  {
    name: 'slow',
    number: '4000000000700064',
    brand: 'visa',
    tokens: ['pm_card_slow'],
    description: 'Works, but the bank takes three seconds to say so.',
    group: 'works',
    delayMs: 3000,
  },
  {
    name: 'settlesLater',
    number: '4000000000700122',
    brand: 'visa',
    tokens: ['pm_card_settlesLater'],
    description: 'Works; the processor’s fee is known only a minute after the capture.',
    group: 'works',
    settlesAfterSeconds: 60,
  },
];

function declinedCard(
  name: string,
  number: string,
  token: string,
  decline: CardDecline,
  description: string,
): TestCard {
  const tokens = [`pm_card_${token}`, `pm_card_visa_${token}`];
  return { name, number, brand: 'visa', tokens, description, group: 'refused', decline };
}

const DECLINED_CARDS: readonly TestCard[] = [
  declinedCard('declined', '4000000000000002', 'chargeDeclined', declines.generic, 'Declined without a reason.'),
  declinedCard(
    'funds',
    '4000000000009995',
    'chargeDeclinedInsufficientFunds',
    declines.funds,
    'Declined: not enough money on the account.',
  ),
  declinedCard('lost', '4000000000009987', 'chargeDeclinedLostCard', declines.lost, 'Declined: reported lost.'),
  declinedCard('stolen', '4000000000009979', 'chargeDeclinedStolenCard', declines.stolen, 'Declined: reported stolen.'),
  declinedCard('expired', '4000000000000069', 'chargeDeclinedExpiredCard', declines.expired, 'Declined: expired.'),
  declinedCard('cvc', '4000000000000127', 'chargeDeclinedIncorrectCvc', declines.cvc, 'Declined: wrong security code.'),
  declinedCard(
    'account',
    '4000000000700130',
    'chargeDeclinedInvalidAccount',
    declines.account,
    'Declined: the bank does not know the account, and advises to check what was typed.',
  ),
  declinedCard(
    'processing',
    '4000000000000119',
    'chargeDeclinedProcessingError',
    declines.processing,
    'Declined: the bank had a problem of its own.',
  ),
];

const AUTHENTICATION_CARDS: readonly TestCard[] = [
  {
    name: 'secure',
    number: '4000002760003184',
    brand: 'visa',
    tokens: ['pm_card_authenticationRequired'],
    description: 'Asks its owner to approve each payment (3-D Secure).',
    group: 'asks its owner',
    authentication: 'always',
    declineOffSession: declines.authentication,
  },
  {
    name: 'secure2',
    number: '4000000000003220',
    brand: 'visa',
    tokens: ['pm_card_threeDSecure2Required'],
    description: 'Asks its owner to approve each payment (3-D Secure 2).',
    group: 'asks its owner',
    authentication: 'always',
    declineOffSession: declines.authentication,
  },
  {
    name: 'secureDeclined',
    number: '4000008400001629',
    brand: 'visa',
    tokens: ['pm_card_threeDSecureRequiredChargeDeclined'],
    description: 'Asks its owner to approve, and is declined all the same.',
    group: 'asks its owner',
    authentication: 'always',
    declineAfterAuthentication: declines.generic,
    declineOffSession: declines.authentication,
  },
  {
    name: 'secureOffSession',
    number: '4000002500003155',
    brand: 'visa',
    tokens: ['pm_card_authenticationRequiredOnSetup'],
    description: 'Asks its owner to approve; a renewal without its owner is declined.',
    group: 'asks its owner',
    authentication: 'always',
    declineOffSession: declines.authentication,
  },
];

const LATE_FAILURE_CARDS: readonly TestCard[] = [
  {
    name: 'lapses',
    number: '4000000000700015',
    brand: 'visa',
    tokens: ['pm_card_holdLapses'],
    description: 'The hold works and lapses after ten seconds.',
    group: 'trouble later',
    holdSeconds: 10,
  },
  {
    name: 'captureFailsForAWhile',
    number: '4000000000700023',
    brand: 'visa',
    tokens: ['pm_card_captureFailsForAWhile'],
    description: 'The hold works; the first three attempts to capture it fail.',
    group: 'trouble later',
    failingCaptures: 3,
    captureDecline: declines.processing,
  },
  {
    name: 'captureFailsForGood',
    number: '4000000000700031',
    brand: 'visa',
    tokens: ['pm_card_captureFailsForGood'],
    description: 'The hold works and can never be captured.',
    group: 'trouble later',
    failingCaptures: -1,
    captureDecline: declines.generic,
  },
  {
    name: 'renewalFails',
    number: '4000000000700049',
    brand: 'visa',
    tokens: ['pm_card_renewalFails'],
    description: 'The first hold works; a renewal without its owner is declined.',
    group: 'trouble later',
    declineOffSession: declines.generic,
  },
  {
    name: 'oneHoldAtATime',
    number: '4000000000700072',
    brand: 'visa',
    tokens: ['pm_card_oneHoldAtATime'],
    description: 'The first hold works; another one beside it is declined: not enough money.',
    group: 'trouble later',
    hasOneHoldAtATime: true,
  },
  {
    name: 'disputed',
    number: '4000000000000259',
    brand: 'visa',
    tokens: ['pm_card_createDispute'],
    description: 'The payment works and its owner disputes it as soon as it is captured.',
    group: 'trouble later',
    disputeReason: 'fraudulent',
  },
  {
    name: 'refundPending',
    number: '4000000000007726',
    brand: 'visa',
    tokens: ['pm_card_pendingRefund'],
    description: 'A refund is pending, and succeeds half a minute later.',
    group: 'trouble later',
    refund: { first: 'pending', later: 'succeeded' },
  },
  {
    name: 'refundFails',
    number: '4000000000005126',
    brand: 'visa',
    tokens: ['pm_card_refundFail'],
    description: 'A refund succeeds, and fails half a minute later.',
    group: 'trouble later',
    refund: { first: 'succeeded', later: 'failed' },
  },
];

export const testCards: readonly TestCard[] = [
  ...WORKING_CARDS,
  ...DECLINED_CARDS,
  ...AUTHENTICATION_CARDS,
  ...LATE_FAILURE_CARDS,
];

const byNumber = new Map(testCards.map((card) => [card.number, card]));
const byToken = new Map(testCards.flatMap((card) => card.tokens.map((token) => [token, card] as const)));
const byName = new Map(testCards.map((card) => [card.name, card]));

export function cardByToken(token: string): TestCard | null {
  return byToken.get(token) ?? null;
}

/** The card of a saved payment method. A name that is not in the list means a card that works. */
export function cardByName(name: string): TestCard {
  return byName.get(name) ?? (WORKING_CARDS[0] as TestCard);
}

function passesLuhn(digits: string): boolean {
  let sum = 0;
  for (let position = 0; position < digits.length; position++) {
    const digit = digits.charCodeAt(digits.length - 1 - position) - 48;
    sum += position % 2 === 0 ? digit : digit > 4 ? digit * 2 - 9 : digit * 2;
  }
  return sum % 10 === 0;
}

/** Whether a card can have this number. */
export function isCardNumber(number: string): boolean {
  const digits = digitsOf(number);
  return /^\d{13,19}$/.test(digits) && passesLuhn(digits);
}

/** The test card with this number; null: there is none. */
export function cardByNumber(number: string): TestCard | null {
  return byNumber.get(digitsOf(number)) ?? null;
}

function digitsOf(number: string): string {
  return number.replace(/[ -]/g, '');
}
