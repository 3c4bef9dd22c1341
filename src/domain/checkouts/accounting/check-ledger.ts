// Checks the ledger: every entry has its cause and every cause its entry, every completed checkout has its payout, and
// no guest's money is left over. It changes nothing and may run beside the servers, because each range of checkouts is
// read in one snapshot.

import type { Mode } from '../../../base/config.ts';
import type { Queryable } from '../../../base/db.ts';
import {
  type AccountTurnover,
  type CheckoutRange,
  lastCheckoutWithEntries,
  nextVenueWithEntries,
  turnoverIn,
} from '../../ledger/check-queries.ts';
import {
  estimateCheckoutCount,
  type FoundProblem,
  lastCheckout,
  nextVenueWithCheckouts,
  nthCheckoutAfter,
  problemsIn,
} from './check-ledger-queries.ts';

export interface AccountBalance extends AccountTurnover {
  /** Debits less credits: over all accounts of a mode and currency they add up to 0. */
  readonly balance: number;
}

export interface LedgerProblem {
  readonly problem: FoundProblem['problem'] | 'balances_differ';
  /** Null: the problem concerns a whole mode and currency. */
  readonly venueId: string | null;
  readonly checkoutId: string | null;
  readonly subject: string | null;
  readonly expected: number;
  readonly found: number;
  readonly message: string;
}

/** What the operator may pay out to itself: neither guests nor venues have a claim on it. Below zero: it is missing. */
export interface OwnFunds {
  readonly mode: Mode;
  readonly currency: string;
  readonly amount: number;
}

export interface LedgerReport {
  readonly balances: readonly AccountBalance[];
  readonly ownFunds: readonly OwnFunds[];
  /** The first MAX_PROBLEMS_LISTED of them. */
  readonly problems: readonly LedgerProblem[];
  readonly problemCount: number;
}

export interface CheckSettings {
  /** How many checkouts one statement reads. */
  readonly chunk?: number;
  readonly onProgress?: (checked: number, estimatedTotal: number | null) => void;
}

const CHECKOUTS_PER_STATEMENT = 1_000;
/** Further problems are counted but not listed. */
export const MAX_PROBLEMS_LISTED = 1_000;

const LOWEST_VENUE_ID = '00000000-0000-0000-0000-000000000000';

export async function checkLedger(db: Queryable, settings: CheckSettings = {}): Promise<LedgerReport> {
  const { chunk = CHECKOUTS_PER_STATEMENT, onProgress } = settings;
  const estimatedTotal = onProgress === undefined ? null : await estimateCheckoutCount(db);
  const turnover: AccountTurnover[] = [];
  const byVenue = new Map<string, AccountTurnover[]>();
  const problems: LedgerProblem[] = [];
  let problemCount = 0;
  for await (const { range, checked } of rangesOf(db, chunk)) {
    const [found, moved] = await Promise.all([problemsIn(db, range, MAX_PROBLEMS_LISTED), turnoverIn(db, range)]);
    problemCount += found[0]?.total ?? 0;
    problems.push(...found.slice(0, MAX_PROBLEMS_LISTED - problems.length).map(toLedgerProblem));
    turnover.push(...moved);
    byVenue.set(range.venueId, [...(byVenue.get(range.venueId) ?? []), ...moved.filter(isVenuePayable)]);
    onProgress?.(checked, estimatedTotal);
  }
  const balances = balancesOf(turnover);
  const unbalanced = unbalancedIn(balances);
  const ownFunds = ownFundsIn(balances, [...byVenue.values()].flatMap(balancesOf));
  return { balances, ownFunds, problems: [...unbalanced, ...problems], problemCount: problemCount + unbalanced.length };
}

/** Ranges that cover every checkout once, also one that only ledger entries name. `checked` counts whole ranges. */
async function* rangesOf(db: Queryable, chunk: number): AsyncGenerator<{ range: CheckoutRange; checked: number }> {
  let checked = 0;
  for (let venueId = await nextVenue(db, LOWEST_VENUE_ID); venueId !== null; venueId = await nextVenue(db, venueId)) {
    let after = '';
    for (let upTo = await nthCheckoutAfter(db, venueId, after, chunk); upTo !== null; ) {
      checked += chunk;
      yield { range: { venueId, after, upTo }, checked };
      after = upTo;
      upTo = await nthCheckoutAfter(db, venueId, after, chunk);
    }
    // Read last, so that they come after every range so far. A range that ends before it begins is empty.
    for (const upTo of [await lastCheckout(db, venueId), await lastCheckoutWithEntries(db, venueId)]) {
      if (upTo === null) continue;
      yield { range: { venueId, after, upTo }, checked };
      after = upTo;
    }
  }
}

async function nextVenue(db: Queryable, after: string): Promise<string | null> {
  const next = await Promise.all([nextVenueWithCheckouts(db, after), nextVenueWithEntries(db, after)]);
  return next.filter((id) => id !== null).sort()[0] ?? null;
}

/** The turnover of all ranges, account by account. */
export function balancesOf(turnover: readonly AccountTurnover[]): readonly AccountBalance[] {
  const byAccount = new Map<string, AccountBalance>();
  for (const { mode, currency, account, debits, credits } of turnover) {
    const name = `${mode} ${currency} ${account}`;
    const earlier = byAccount.get(name) ?? { debits: 0, credits: 0 };
    const sums = { debits: earlier.debits + debits, credits: earlier.credits + credits };
    byAccount.set(name, { mode, currency, account, ...sums, balance: sums.debits - sums.credits });
  }
  return [...byAccount].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, balance]) => balance);
}

function isVenuePayable({ account }: AccountTurnover): boolean {
  return account === 'venue_payable';
}

/** `venuePayables`: of each venue alone, because what one venue owes is not there for another. */
function ownFundsIn(balances: readonly AccountBalance[], venuePayables: readonly AccountBalance[]): OwnFunds[] {
  return balances
    .filter(({ account }) => account === 'processor_balance')
    .map(({ mode, currency, balance }) => {
      const isSame = (other: AccountBalance): boolean => other.mode === mode && other.currency === currency;
      const guests = balances.find((other) => isSame(other) && other.account === 'guest_funds')?.balance ?? 0;
      const venues = venuePayables.filter(isSame).reduce((sum, other) => sum + Math.min(0, other.balance), 0);
      return { mode, currency, amount: balance + guests + venues };
    });
}

/** An entry debits and credits the same amount, so accounts always balance. This check does not rely on that. */
export function unbalancedIn(balances: readonly AccountBalance[]): readonly LedgerProblem[] {
  const sums = new Map<string, { mode: Mode; currency: string; sum: number }>();
  for (const { mode, currency, balance } of balances) {
    const name = `${mode} ${currency}`;
    sums.set(name, { mode, currency, sum: (sums.get(name)?.sum ?? 0) + balance });
  }
  const unbalanced = [...sums.values()].filter(({ sum }) => sum !== 0);
  return unbalanced.map(({ mode, currency, sum }) => ({
    problem: 'balances_differ',
    venueId: null,
    checkoutId: null,
    subject: null,
    expected: 0,
    found: sum,
    message: `the ${currency} accounts of ${mode} mode add up to ${sum}`,
  }));
}

function toLedgerProblem(found: FoundProblem): LedgerProblem {
  const { problem, venueId, checkoutId, subject, expected } = found;
  return {
    problem,
    venueId,
    checkoutId,
    subject: subject === '' ? null : subject,
    expected,
    found: found.found,
    message: MESSAGES[problem](found),
  };
}

const MESSAGES: Readonly<Record<FoundProblem['problem'], (of: FoundProblem) => string>> = {
  entry_missing: ({ kind, expected }) => `the ${kind} of ${expected} has no entry`,
  entry_without_cause: ({ kind, found }) => `an entry says ${kind} of ${found}, and nothing caused it`,
  entry_differs: ({ kind, expected, found }) => `the ${kind} was ${expected}, its entry says ${found}`,
  division_differs: ({ expected, found }) => `${expected} was captured, ${found} divided between venue and fee`,
  refunds_differ: ({ expected, found }) => `refunds of ${expected} were decided, the checkout says ${found}`,
  share_refunds_differ: ({ expected, found }) => `${expected} is refunded of the shares, ${found} of the checkout`,
  payout_differs: ({ kind, expected, found }) => `the payout’s ${kind} must be ${expected} and is ${found}`,
  transfers_differ: ({ expected, found }) =>
    `transfers, less what was taken back, and refunds from the venue’s part must be ${expected} and are ${found}`,
  debts_differ: ({ kind, expected, found }) =>
    kind === 'taken'
      ? `transfers were reduced by ${expected}, and debts of ${found} name them`
      : `debts of ${expected} are settled, and transfers settle ${found} of them`,
  dispute_differs: ({ expected, found }) => `the processor keeps ${expected} of the dispute, and ${found} is divided`,
  guest_funds_left: ({ found }) => `${found} of the guests’ money was neither earned nor given back`,
};
