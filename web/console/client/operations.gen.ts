// Generated from the operations and schemas/v1 by `npm run generate`. Do not edit.

import type { ApiPromise } from '../../../sdk/src/api-promise.ts';
import type { Api, RequestOptions } from '../../../sdk/src/api.ts';
import type { PagePromise } from '../../../sdk/src/page.ts';
import type { Account, AccountEmail, AccountSession, AccountUpdate, ApiKey, ApiKeyCreate, ApiKeyRoll, ApiKeyUpdate, AuditEntry, CatalogueItem, CatalogueVersions, CheckoutMoney, CheckoutRow, CheckoutTimeline, CodeMail, ConsoleChallenge, ConsoleEnded, ConsoleHome, ConsoleLinkSignIn, ConsoleSession, ConsoleSignIn, ConsoleSignInVerify, ConsoleSignedIn, ConsoleStepUp, CreatedApiKey, CreatedVenue, DebtWriteOff, DeskAuditEntry, DeskDecision, DeskFee, DeskHealth, DeskOperator, DeskPerson, DeskRejection, DeskSession, DeskVenue, DeskVenueItem, DeskView, DomainCode, DomainCreate, DomainMail, EndpointHealth, FirstSteps, GoLive, Invitation, InvitationCreate, LimitRaise, ListedDispute, LoggedRequest, LoggedRequestDetail, ManualPayment, MoneyAction, MoneyHealth, NotificationChange, NotificationPreference, PaidCheckout, Passkey, PasskeyAdd, PasskeyAnswer, PasskeyCreation, PasskeyRename, PasskeyRequest, PayoutBalance, PayoutOnboarding, PayoutOnboardingCreate, Person, PersonRole, ReconcileRequest, Refund, RefundPreview, RequestSummary, Reservation, ReservationReturn, ReviewCase, ReviewItem, ReviewReason, RolledApiKey, Statement, StatementTotals, TermsAccept, TestInbox, VenueCreate, VenueOrigin, VenueOriginChange, VenueSettings, VenueSuspension, VenueUpdate } from './types.gen.ts';

export type ListConsoleCheckoutsParams = {
  /** Only checkouts in this state. */
  readonly status?: "open" | "collecting" | "funded" | "completed" | "expired" | "canceled";
  /** The id of a checkout, of a share or of a payout, the beginning of a booking id, or words of the description or of the organizer’s name. */
  readonly q?: string;
  /** Only checkouts created at this time or later. */
  readonly from?: string;
  /** Only checkouts created before this time. */
  readonly to?: string;
  /** Only checkouts of at least this amount, in minor units (cents). */
  readonly min_amount?: number;
  /** Only checkouts of at most this amount, in minor units (cents). */
  readonly max_amount?: number;
  /** Only checkouts of the offering with this id of yours. */
  readonly offering?: string;
  /** Only checkouts that the key with this id created. */
  readonly key?: string;
  /** Newest first; or by what is due next: open and collecting ones by pay_by, then the others newest first. */
  readonly sort?: "newest" | "due";
  /** The largest number of checkouts in the page. */
  readonly limit?: number;
  /** The `next_before` of the previous page, with the same sort. */
  readonly before?: string;
};

export type GetTestInboxParams = {
  /** The largest number of messages. */
  readonly limit?: number;
};

export type ListStatementsParams = {
  /** One line for each week, which begins on Monday, or for each day. */
  readonly period?: "week" | "day";
  /** Only what was completed on this day or later, in the venue’s time zone. */
  readonly from?: string;
  /** Only what was completed before this day. */
  readonly to?: string;
  /** The largest number of periods in the page. */
  readonly limit?: number;
  /** The `next_before` of the previous page: the answer holds only earlier periods. */
  readonly before?: string;
};

export type ListPaidCheckoutsParams = {
  /** The largest number of objects in the page; a page of large objects has fewer. */
  readonly limit?: number;
  /** The `next_before` of the previous page: the answer holds only older objects. */
  readonly before?: string;
  /** Only what was completed on this day or later, in the venue’s time zone. */
  readonly from?: string;
  /** Only what was completed before this day. */
  readonly to?: string;
};

export type ListDisputesParams = {
  /** Only disputes with this outcome. */
  readonly status?: "open" | "won" | "lost";
  /** The largest number of disputes in the page. */
  readonly limit?: number;
  /** The `next_before` of the previous page. */
  readonly before?: string;
};

export type ListCatalogueParams = {
  /** Only objects in this state. */
  readonly status?: "pending" | "approved" | "rejected" | "inactive";
  /** The largest number of objects in the page; a page of large objects has fewer. */
  readonly limit?: number;
  /** The `next_before` of the previous page: the answer holds only older objects. */
  readonly before?: string;
  /** Only objects of this kind. */
  readonly kind?: "offering" | "event" | "boat";
  /** Only objects whose title or id of yours contains this text. */
  readonly q?: string;
};

export type ListKeysParams = {
  /** Only objects in this state. */
  readonly status?: "active" | "expired" | "revoked";
  /** The largest number of objects in the page; a page of large objects has fewer. */
  readonly limit?: number;
  /** The `next_before` of the previous page: the answer holds only older objects. */
  readonly before?: string;
};

export type ListRequestsParams = {
  /** The largest number of requests in the page. */
  readonly limit?: number;
  /** The `next_before` of the previous page: the answer holds only older requests. */
  readonly before?: string;
  /** By status: 2xx and 3xx, 4xx, 5xx, or 4xx and 5xx. */
  readonly outcome?: "succeeded" | "refused" | "failed" | "unsuccessful";
  /** Exactly this status. */
  readonly status?: number;
  /** With this error code, or this reason of a conflict. */
  readonly code?: string;
  /** With this method. */
  readonly method?: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Of this operation, by its id. */
  readonly operation?: string;
  /** With this key, by its id. */
  readonly key?: string;
  /** The request with this id. */
  readonly request_id?: string;
  /** Only requests that arrived at this time or later. */
  readonly from?: string;
  /** Only requests that arrived before this time. */
  readonly to?: string;
  /** Text in the path, or the beginning of a request id. */
  readonly search?: string;
};

export type SummarizeRequestsParams = {
  /** Only requests that arrived at this time or later. */
  readonly from?: string;
  /** Only requests that arrived before this time. */
  readonly to?: string;
};

export type ListAuditParams = {
  /** The largest number of objects in the page; a page of large objects has fewer. */
  readonly limit?: number;
  /** The `next_before` of the previous page: the answer holds only older objects. */
  readonly before?: string;
  /** Only actions that begin with this text. */
  readonly action?: string;
};

export type ListReviewsParams = {
  /** Only objects in this state. */
  readonly status?: "pending" | "approved" | "rejected";
  /** Only objects of this kind. */
  readonly kind?: "offering" | "event" | "boat";
  /** Only objects of this mode. */
  readonly mode?: "test" | "live";
  /** Only objects of this venue. */
  readonly venue?: string;
  /** The largest number of objects in the page. */
  readonly limit?: number;
  /** The `next_after` of the previous page. */
  readonly after?: string;
};

export type GetMoneyHealthParams = {
  /** The mode. */
  readonly mode?: "test" | "live";
  /** How many cases of each kind are listed. The figures count all. */
  readonly limit?: number;
};

export type ListDeskVenuesParams = {
  /** The largest number of objects in the page; a page of large objects has fewer. */
  readonly limit?: number;
  /** The `next_before` of the previous page: the answer holds only older objects. */
  readonly before?: string;
  /** A part of the name; or the id of a venue, or of a checkout, share, movement, payment, charge, dispute or reviewed object of it; the mail address or account id of one of its people; the id or the hint of a key. */
  readonly q?: string;
};

export type ListDeskPeopleParams = {
  /** The mail address, or the id of the account. */
  readonly q?: string;
};

export type ListDeskAuditParams = {
  /** The largest number of objects in the page; a page of large objects has fewer. */
  readonly limit?: number;
  /** The `next_before` of the previous page: the answer holds only older objects. */
  readonly before?: string;
  /** Only entries of this venue. */
  readonly venue?: string;
  /** Only what operators did. */
  readonly by?: "operators";
};

export class ConsoleOperations {
  readonly #api: Api;
  constructor(api: Api) {
    this.#api = api;
  }
  /**
   * Ask for a sign-in code by mail. The answer is the same for known and unknown mail addresses. The code has six digits, and is valid for 10 minutes and 5 tries. A mail address gets 5 codes an hour, a network address 30.
   * Needs no key.
   * `POST /console/api/sign_in`
   */
  signInToConsole(body: ConsoleSignIn, options?: RequestOptions): ApiPromise<ConsoleChallenge> {
    return this.#api.send({ method: 'POST', path: '/console/api/sign_in', body, isOpen: true }, options);
  }
  /**
   * Sign in, or sign up, with the code. Sets the cookie of the session. A mail address without an account signs up: it gets an account, and a sandbox venue with role `owner`, one secret and one publishable test key, which are in this answer only.
   * Needs no key.
   * `POST /console/api/sign_in/verify`
   */
  verifyConsoleSignIn(body: ConsoleSignInVerify, options?: RequestOptions): ApiPromise<ConsoleSignedIn> {
    return this.#api.send({ method: 'POST', path: '/console/api/sign_in/verify', body, isOpen: true }, options);
  }
  /**
   * Sign in with a link of the operator. Sets the cookie of the session. `everyshare console link` prints the link: it works once, for 15 minutes.
   * Needs no key.
   * `POST /console/api/sign_in/link`
   */
  signInByLink(body: ConsoleLinkSignIn, options?: RequestOptions): ApiPromise<ConsoleSignedIn> {
    return this.#api.send({ method: 'POST', path: '/console/api/sign_in/link', body, isOpen: true }, options);
  }
  /**
   * Get the signed-in person and their venues.
   * `GET /console/api/session`
   */
  getConsoleSession(options?: RequestOptions): ApiPromise<ConsoleSession> {
    return this.#api.send({ method: 'GET', path: '/console/api/session' }, options);
  }
  /**
   * Sign out. Ends the session and deletes its cookie.
   * `POST /console/api/sign_out`
   */
  signOutOfConsole(options?: RequestOptions): ApiPromise<ConsoleEnded> {
    return this.#api.send({ method: 'POST', path: '/console/api/sign_out' }, options);
  }
  /**
   * List the sessions of the signed-in person. Newest first, at most 100. A session ends after 12 hours without a request, and after 7 days.
   * `GET /console/api/sessions`
   */
  listConsoleSessions(options?: RequestOptions): PagePromise<AccountSession, {
    readonly data: readonly AccountSession[];
  }> {
    return this.#api.list({ method: 'GET', path: '/console/api/sessions' }, options);
  }
  /**
   * End a session of the signed-in person.
   * `DELETE /console/api/sessions/{id}`
   */
  endConsoleSession(id: string, options?: RequestOptions): ApiPromise<ConsoleEnded> {
    return this.#api.send({ method: 'DELETE', path: '/console/api/sessions/{id}', params: [id] }, options);
  }
  /**
   * Ask for a code that confirms a change. The code goes to the mail address of the account. Calls that need it answer `step_up_required`.
   * `POST /console/api/step_up`
   */
  stepUp(options?: RequestOptions): ApiPromise<ConsoleChallenge> {
    return this.#api.send({ method: 'POST', path: '/console/api/step_up' }, options);
  }
  /**
   * Confirm with the code. Counts for this session and for ten minutes.
   * `POST /console/api/step_up/verify`
   */
  verifyStepUp(body: ConsoleStepUp, options?: RequestOptions): ApiPromise<AccountSession> {
    return this.#api.send({ method: 'POST', path: '/console/api/step_up/verify', body }, options);
  }
  /**
   * List the people of the venue.
   * `GET /console/api/people`
   */
  listPeople(options?: RequestOptions): PagePromise<Person, {
    readonly data: readonly Person[];
  }> {
    return this.#api.list({ method: 'GET', path: '/console/api/people' }, options);
  }
  /**
   * Give a person another role. A venue always keeps an owner: the last one cannot get another role (409 `last_owner`).
   * `POST /console/api/people/{id}`
   */
  changePersonRole(id: string, body: PersonRole, options?: RequestOptions): ApiPromise<Person> {
    return this.#api.send({ method: 'POST', path: '/console/api/people/{id}', params: [id], body }, options);
  }
  /**
   * Remove a person from the venue. From the next request on, sessions of the person no longer reach this venue. The last owner cannot be removed (409 `last_owner`).
   * `DELETE /console/api/people/{id}`
   */
  removePerson(id: string, options?: RequestOptions): ApiPromise<ConsoleEnded> {
    return this.#api.send({ method: 'DELETE', path: '/console/api/people/{id}', params: [id] }, options);
  }
  /**
   * List the open invitations of the venue.
   * `GET /console/api/invitations`
   */
  listInvitations(options?: RequestOptions): PagePromise<Invitation, {
    readonly data: readonly Invitation[];
  }> {
    return this.#api.list({ method: 'GET', path: '/console/api/invitations' }, options);
  }
  /**
   * Invite a person by mail. Valid for 7 days and once. The person accepts by signing in with that mail address, or, signed in, by `acceptInvitations`. A second invitation of an address replaces the first.
   * `POST /console/api/invitations`
   */
  invitePerson(body: InvitationCreate, options?: RequestOptions): ApiPromise<Invitation> {
    return this.#api.send({ method: 'POST', path: '/console/api/invitations', body }, options);
  }
  /**
   * Accept the open invitations of the signed-in person. Of their mail address. A sign-in accepts them too. The answer is the same when there are none.
   * `POST /console/api/invitations/accept`
   */
  acceptInvitations(options?: RequestOptions): ApiPromise<ConsoleSession> {
    return this.#api.send({ method: 'POST', path: '/console/api/invitations/accept' }, options);
  }
  /**
   * Withdraw an invitation.
   * `DELETE /console/api/invitations/{id}`
   */
  withdrawInvitation(id: string, options?: RequestOptions): ApiPromise<ConsoleEnded> {
    return this.#api.send({ method: 'DELETE', path: '/console/api/invitations/{id}', params: [id] }, options);
  }
  /**
   * Get whether the mail with a code was sent. For every code: of a sign-in, a step-up, a new mail address. `delayed` when the mail server has not taken the mail within 10 seconds. The same for known and unknown mail addresses.
   * Needs no key.
   * `GET /console/api/codes/{challenge_id}`
   */
  getCodeMail(challengeId: string, options?: RequestOptions): ApiPromise<CodeMail> {
    return this.#api.send({ method: 'GET', path: '/console/api/codes/{challenge_id}', params: [challengeId], isOpen: true }, options);
  }
  /**
   * Change the name of the signed-in person.
   * `POST /console/api/account`
   */
  updateAccount(body: AccountUpdate, options?: RequestOptions): ApiPromise<Account> {
    return this.#api.send({ method: 'POST', path: '/console/api/account', body }, options);
  }
  /**
   * Ask for a code to change the mail address. The code goes to the new address, and is valid for 10 minutes and 5 tries. At most 5 codes an hour.
   * `POST /console/api/account/email`
   */
  changeAccountEmail(body: AccountEmail, options?: RequestOptions): ApiPromise<ConsoleChallenge> {
    return this.#api.send({ method: 'POST', path: '/console/api/account/email', body }, options);
  }
  /**
   * Change the mail address with the code. From now on the new address signs in, and the old one gets a mail that says so. 409 `email_in_use`: another account has the new address.
   * `POST /console/api/account/email/verify`
   */
  verifyAccountEmail(body: ConsoleStepUp, options?: RequestOptions): ApiPromise<Account> {
    return this.#api.send({ method: 'POST', path: '/console/api/account/email/verify', body }, options);
  }
  /**
   * Leave the venue. Ends the role of the signed-in person in the venue. The last owner cannot leave (409 `last_owner`). Keys that the person made stay.
   * `POST /console/api/leave`
   */
  leaveVenue(options?: RequestOptions): ApiPromise<ConsoleEnded> {
    return this.#api.send({ method: 'POST', path: '/console/api/leave' }, options);
  }
  /**
   * List the passkeys of the signed-in person. Newest first. An account has at most 20.
   * `GET /console/api/passkeys`
   */
  listPasskeys(options?: RequestOptions): PagePromise<Passkey, {
    readonly data: readonly Passkey[];
  }> {
    return this.#api.list({ method: 'GET', path: '/console/api/passkeys' }, options);
  }
  /**
   * Ask for what a browser needs to make a passkey. Give `public_key` to `navigator.credentials.create`, and its answer to `POST /console/api/passkeys`. The challenge can be answered once, within 5 minutes, from the same session. 409: `too_many_passkeys`, or `passkeys_need_domain` where the service is at an IP address.
   * `POST /console/api/passkeys/options`
   */
  beginPasskey(options?: RequestOptions): ApiPromise<PasskeyCreation> {
    return this.#api.send({ method: 'POST', path: '/console/api/passkeys/options' }, options);
  }
  /**
   * Add a passkey. The answer of the browser to the newest challenge. The person gets a mail. 409: `passkey_exists`, or `too_many_passkeys`.
   * `POST /console/api/passkeys`
   */
  addPasskey(body: PasskeyAdd, options?: RequestOptions): ApiPromise<Passkey> {
    return this.#api.send({ method: 'POST', path: '/console/api/passkeys', body }, options);
  }
  /**
   * Give a passkey another name.
   * `POST /console/api/passkeys/{id}`
   */
  renamePasskey(id: string, body: PasskeyRename, options?: RequestOptions): ApiPromise<Passkey> {
    return this.#api.send({ method: 'POST', path: '/console/api/passkeys/{id}', params: [id], body }, options);
  }
  /**
   * Remove a passkey. It no longer signs in. The person gets a mail. The code by mail always remains as a way in.
   * `DELETE /console/api/passkeys/{id}`
   */
  deletePasskey(id: string, options?: RequestOptions): ApiPromise<ConsoleEnded> {
    return this.#api.send({ method: 'DELETE', path: '/console/api/passkeys/{id}', params: [id] }, options);
  }
  /**
   * Ask for a challenge to sign in with a passkey. No mail address is needed: the person chooses a passkey in the browser. The challenge can be answered once, within 5 minutes. A network address gets 120 an hour. 409 `passkeys_need_domain` where the service is at an IP address.
   * Needs no key.
   * `POST /console/api/sign_in/passkey`
   */
  beginPasskeySignIn(options?: RequestOptions): ApiPromise<PasskeyRequest> {
    return this.#api.send({ method: 'POST', path: '/console/api/sign_in/passkey', isOpen: true }, options);
  }
  /**
   * Sign in with a passkey. Sets the cookie of the session.
   * Needs no key.
   * `POST /console/api/sign_in/passkey/verify`
   */
  verifyPasskeySignIn(body: PasskeyAnswer, options?: RequestOptions): ApiPromise<ConsoleSignedIn> {
    return this.#api.send({ method: 'POST', path: '/console/api/sign_in/passkey/verify', body, isOpen: true }, options);
  }
  /**
   * Ask for a challenge that confirms a change. Calls that need it answer `step_up_required`. The challenge can be answered once, within 5 minutes, from the same session. 409 `no_passkey`: ask for a code instead.
   * `POST /console/api/step_up/passkey`
   */
  beginPasskeyStepUp(options?: RequestOptions): ApiPromise<PasskeyRequest> {
    return this.#api.send({ method: 'POST', path: '/console/api/step_up/passkey' }, options);
  }
  /**
   * Confirm with a passkey. Counts for this session and for ten minutes.
   * `POST /console/api/step_up/passkey/verify`
   */
  verifyPasskeyStepUp(body: PasskeyAnswer, options?: RequestOptions): ApiPromise<AccountSession> {
    return this.#api.send({ method: 'POST', path: '/console/api/step_up/passkey/verify', body }, options);
  }
  /**
   * List, filter and search checkouts.
   * `GET /console/api/checkouts`
   */
  listConsoleCheckouts(query?: ListConsoleCheckoutsParams, options?: RequestOptions): PagePromise<CheckoutRow, {
    readonly data: readonly CheckoutRow[];
    /** Send it as `before` to get the next page, which may be empty while `searched_since` is not null; null on the last page. */
    readonly next_before: string | null;
    /** How many checkouts of the same filters, but the status, have each status. */
    readonly counts: {
      /** How many there are; of one status at most 10,000, which means that many or more. */
      readonly all: number;
      /** How many there are; of one status at most 10,000, which means that many or more. */
      readonly open: number;
      /** How many there are; of one status at most 10,000, which means that many or more. */
      readonly collecting: number;
      /** How many there are; of one status at most 10,000, which means that many or more. */
      readonly funded: number;
      /** How many there are; of one status at most 10,000, which means that many or more. */
      readonly completed: number;
      /** How many there are; of one status at most 10,000, which means that many or more. */
      readonly expired: number;
      /** How many there are; of one status at most 10,000, which means that many or more. */
      readonly canceled: number;
    };
    /** A search, and the filters by amount, offering and key, look at 20,000 checkouts for a page: this is when the last of them was created, and `next_before` goes on after it. `counts` are of the newest 20,000 then. Null when all were looked at. */
    readonly searched_since: string | null;
  }> {
    return this.#api.list({ method: 'GET', path: '/console/api/checkouts', query, cursor: 'before' }, options);
  }
  /**
   * List, filter and search checkouts, as CSV.
   * `GET /console/api/checkouts`
   */
  listConsoleCheckoutsCsv(query?: ListConsoleCheckoutsParams, options?: RequestOptions): ApiPromise<string> {
    return this.#api.send({ method: 'GET', path: '/console/api/checkouts', query, accept: 'text/csv' }, options);
  }
  /**
   * Get everything that happened to a checkout. Oldest first: the party, cards, reminders, charges, transfers, refunds, disputes and deliveries. Declined cards are kept for 90 days, deliveries and texts for as long as their own lists.
   * `GET /console/api/checkouts/{id}/timeline`
   */
  getCheckoutTimeline(id: string, options?: RequestOptions): ApiPromise<CheckoutTimeline> {
    return this.#api.send({ method: 'GET', path: '/console/api/checkouts/{id}/timeline', params: [id] }, options);
  }
  /**
   * Preview a refund. Takes the body of a refund and answers what it would do, to the cent: the same decision on the checkout as it is now. Nothing is refunded. A refund that would be refused is refused here in the same way.
   * `POST /console/api/checkouts/{id}/refund_preview`
   */
  previewRefund(id: string, body?: Refund, options?: RequestOptions): ApiPromise<RefundPreview> {
    return this.#api.send({ method: 'POST', path: '/console/api/checkouts/{id}/refund_preview', params: [id], body }, options);
  }
  /**
   * Get the money of a checkout. Sums that add up, for the checkout and for each share.
   * `GET /console/api/checkouts/{id}/money`
   */
  getCheckoutMoney(id: string, options?: RequestOptions): ApiPromise<CheckoutMoney> {
    return this.#api.send({ method: 'GET', path: '/console/api/checkouts/{id}/money', params: [id] }, options);
  }
  /**
   * Get the first page of the console. What is held, completed and paid out, what needs a person, the funnel and the days of the last 30 days, and the latest events. Each sum is by currency.
   * `GET /console/api/home`
   */
  getConsoleHome(options?: RequestOptions): ApiPromise<ConsoleHome> {
    return this.#api.send({ method: 'GET', path: '/console/api/home' }, options);
  }
  /**
   * Get the first steps of a newcomer. Of test mode, in either mode of the session. A step is done by what really happened.
   * `GET /console/api/first_steps`
   */
  getFirstSteps(options?: RequestOptions): ApiPromise<FirstSteps> {
    return this.#api.send({ method: 'GET', path: '/console/api/first_steps' }, options);
  }
  /**
   * Create the test inbox. A webhook endpoint inside the service, for every event, so that deliveries can be seen without a server. A venue has one: a second call answers 200 with it.
   * `POST /console/api/test_inbox`
   */
  createTestInbox(options?: RequestOptions): ApiPromise<TestInbox> {
    return this.#api.send({ method: 'POST', path: '/console/api/test_inbox' }, options);
  }
  /**
   * Read the test inbox. The newest 50 deliveries of the last 24 hours. 404 before the inbox is created.
   * `GET /console/api/test_inbox`
   */
  getTestInbox(query?: GetTestInboxParams, options?: RequestOptions): ApiPromise<TestInbox> {
    return this.#api.send({ method: 'GET', path: '/console/api/test_inbox', query }, options);
  }
  /**
   * List statements by week or day. Newest first; periods without a completed checkout are left out. In each line paid less fee, refunded and lost_to_disputes is kept. `totals` are the sums of the lines of the page.
   * `GET /console/api/payouts`
   */
  listStatements(query?: ListStatementsParams, options?: RequestOptions): PagePromise<Statement, {
    readonly data: readonly Statement[];
    /** Send it as `before` to get the next page; null on the last page. */
    readonly next_before: string | null;
    readonly totals: readonly StatementTotals[];
    readonly balance: readonly PayoutBalance[];
  }> {
    return this.#api.list({ method: 'GET', path: '/console/api/payouts', query, cursor: 'before' }, options);
  }
  /**
   * List statements by week or day, as CSV. Newest first; periods without a completed checkout are left out. In each line paid less fee, refunded and lost_to_disputes is kept. `totals` are the sums of the lines of the page.
   * `GET /console/api/payouts`
   */
  listStatementsCsv(query?: ListStatementsParams, options?: RequestOptions): ApiPromise<string> {
    return this.#api.send({ method: 'GET', path: '/console/api/payouts', query, accept: 'text/csv' }, options);
  }
  /**
   * List the checkouts of a statement. Newest first, by the day of completion.
   * `GET /console/api/payouts/checkouts`
   */
  listPaidCheckouts(query?: ListPaidCheckoutsParams, options?: RequestOptions): PagePromise<PaidCheckout> {
    return this.#api.list({ method: 'GET', path: '/console/api/payouts/checkouts', query, cursor: 'before' }, options);
  }
  /**
   * List the checkouts of a statement, as CSV. Newest first, by the day of completion.
   * `GET /console/api/payouts/checkouts`
   */
  listPaidCheckoutsCsv(query?: ListPaidCheckoutsParams, options?: RequestOptions): ApiPromise<string> {
    return this.#api.send({ method: 'GET', path: '/console/api/payouts/checkouts', query, accept: 'text/csv' }, options);
  }
  /**
   * List disputed charges. Newest first.
   * `GET /console/api/disputes`
   */
  listDisputes(query?: ListDisputesParams, options?: RequestOptions): PagePromise<ListedDispute, {
    readonly data: readonly ListedDispute[];
    /** Send it as `before` to get the next page; null on the last page. */
    readonly next_before: string | null;
    /** How many have each outcome. */
    readonly counts: {
      /** How many there are. */
      readonly open: number;
      /** How many there are. */
      readonly won: number;
      /** How many there are. */
      readonly lost: number;
    };
  }> {
    return this.#api.list({ method: 'GET', path: '/console/api/disputes', query, cursor: 'before' }, options);
  }
  /**
   * List disputed charges, as CSV. Newest first.
   * `GET /console/api/disputes`
   */
  listDisputesCsv(query?: ListDisputesParams, options?: RequestOptions): ApiPromise<string> {
    return this.#api.send({ method: 'GET', path: '/console/api/disputes', query, accept: 'text/csv' }, options);
  }
  /**
   * List offerings, events and boats. The newest change first. `counts` are of the whole catalogue.
   * `GET /console/api/catalogue`
   */
  listCatalogue(query?: ListCatalogueParams, options?: RequestOptions): PagePromise<CatalogueItem, {
    readonly data: readonly CatalogueItem[];
    /** Send it as `before` to get the next page; null on the last page. */
    readonly next_before: string | null;
    /** How many objects there are, by kind and status. */
    readonly counts: {
      /** How many objects of the kind have each status. */
      readonly offering: {
        /** How many there are. */
        readonly all: number;
        /** How many there are. */
        readonly pending: number;
        /** How many there are. */
        readonly approved: number;
        /** How many there are. */
        readonly rejected: number;
        /** How many there are. */
        readonly inactive: number;
      };
      /** How many objects of the kind have each status. */
      readonly event: {
        /** How many there are. */
        readonly all: number;
        /** How many there are. */
        readonly pending: number;
        /** How many there are. */
        readonly approved: number;
        /** How many there are. */
        readonly rejected: number;
        /** How many there are. */
        readonly inactive: number;
      };
      /** How many objects of the kind have each status. */
      readonly boat: {
        /** How many there are. */
        readonly all: number;
        /** How many there are. */
        readonly pending: number;
        /** How many there are. */
        readonly approved: number;
        /** How many there are. */
        readonly rejected: number;
        /** How many there are. */
        readonly inactive: number;
      };
    };
  }> {
    return this.#api.list({ method: 'GET', path: '/console/api/catalogue', query, cursor: 'before' }, options);
  }
  /**
   * Get both versions of an offering, an event or a boat. By its id or your own. `visible` is what members see, `waiting` what they do not see, `differences` the fields in which they differ.
   * `GET /console/api/catalogue/{kind}/{id}`
   */
  getCatalogueItem(kind: string, id: string, options?: RequestOptions): ApiPromise<CatalogueVersions> {
    return this.#api.send({ method: 'GET', path: '/console/api/catalogue/{kind}/{id}', params: [kind, id] }, options);
  }
  /**
   * List the API keys of the venue. Newest first, those of the session’s mode, without their text.
   * `GET /console/api/keys`
   */
  listKeys(query?: ListKeysParams, options?: RequestOptions): PagePromise<ApiKey> {
    return this.#api.list({ method: 'GET', path: '/console/api/keys', query, cursor: 'before' }, options);
  }
  /**
   * Create an API key. In the session’s mode. The text of the key is in this answer only. A live key is for a linked venue, and needs a code of the last ten minutes; one with `checkouts:write` can refund, so that an owner has to create it (403 `role_not_allowed`). A venue has at most 100 active keys in a mode (409 `too_many_keys`).
   * `POST /console/api/keys`
   */
  createKey(body: ApiKeyCreate, options?: RequestOptions): ApiPromise<CreatedApiKey> {
    return this.#api.send({ method: 'POST', path: '/console/api/keys', body }, options);
  }
  /**
   * Change an API key. Its name, expiry and addresses; the next request with the key follows them. A revoked or expired key cannot be changed (409 `key_revoked`, `key_expired`), and a rolled one ends with its overlap (409 `already_rolled`). A live key needs a code of the last ten minutes.
   * `POST /console/api/keys/{id}`
   */
  updateKey(id: string, body?: ApiKeyUpdate, options?: RequestOptions): ApiPromise<ApiKey> {
    return this.#api.send({ method: 'POST', path: '/console/api/keys/{id}', params: [id], body }, options);
  }
  /**
   * Replace an API key by a new one. The new key has the same name, scopes, addresses and limits, and lives as long as the old one was to live. The old one keeps working for `overlap_hours`, but never longer than it would have. A key is rolled once: 409 `already_rolled`, `key_revoked` or `key_expired` otherwise. A live key needs a code of the last ten minutes, and one with `checkouts:write` an owner (403 `role_not_allowed`).
   * `POST /console/api/keys/{id}/roll`
   */
  rollKey(id: string, body?: ApiKeyRoll, options?: RequestOptions): ApiPromise<RolledApiKey> {
    return this.#api.send({ method: 'POST', path: '/console/api/keys/{id}/roll', params: [id], body }, options);
  }
  /**
   * Revoke an API key. The next request with it is refused. A key that was revoked before stays as it is.
   * `POST /console/api/keys/{id}/revoke`
   */
  revokeKey(id: string, options?: RequestOptions): ApiPromise<ApiKey> {
    return this.#api.send({ method: 'POST', path: '/console/api/keys/{id}/revoke', params: [id] }, options);
  }
  /**
   * List the requests of the venue’s keys. Newest first, of the last 7 days or as long as the operator keeps them. A request is listed about a second after its answer; under overload some are not kept. Calls of the console itself are not in the list.
   * `GET /console/api/requests`
   */
  listRequests(query?: ListRequestsParams, options?: RequestOptions): PagePromise<LoggedRequest, {
    readonly data: readonly LoggedRequest[];
    /** Send it as `before` to get the next page; null on the last page. */
    readonly next_before: string | null;
    /** A page looks through 50,000 requests at most. If it found less than it may, this is when the last of them arrived, and `next_before` goes on after it; else null. */
    readonly searched_since: string | null;
  }> {
    return this.#api.list({ method: 'GET', path: '/console/api/requests', query, cursor: 'before' }, options);
  }
  /**
   * List the requests of the venue’s keys, as CSV. Newest first, of the last 7 days or as long as the operator keeps them. A request is listed about a second after its answer; under overload some are not kept. Calls of the console itself are not in the list.
   * `GET /console/api/requests`
   */
  listRequestsCsv(query?: ListRequestsParams, options?: RequestOptions): ApiPromise<string> {
    return this.#api.send({ method: 'GET', path: '/console/api/requests', query, accept: 'text/csv' }, options);
  }
  /**
   * Count the requests of the venue’s keys. By outcome, by kind of failure and by key, over the last 24 hours where the query names no time.
   * `GET /console/api/requests/summary`
   */
  summarizeRequests(query?: SummarizeRequestsParams, options?: RequestOptions): ApiPromise<RequestSummary> {
    return this.#api.send({ method: 'GET', path: '/console/api/requests/summary', query }, options);
  }
  /**
   * Get one request. With what was wrong, what to send instead, and the body that was sent, masked.
   * `GET /console/api/requests/{id}`
   */
  getRequest(id: string, options?: RequestOptions): ApiPromise<LoggedRequestDetail> {
    return this.#api.send({ method: 'GET', path: '/console/api/requests/{id}', params: [id] }, options);
  }
  /**
   * Make another sandbox venue. The person is its owner. Its secret and its publishable test key are in this answer only. At most 10 a day.
   * `POST /console/api/venues`
   */
  createVenue(body: VenueCreate, options?: RequestOptions): ApiPromise<CreatedVenue> {
    return this.#api.send({ method: 'POST', path: '/console/api/venues', body }, options);
  }
  /**
   * Get the settings of the venue.
   * `GET /console/api/venue`
   */
  getVenue(options?: RequestOptions): ApiPromise<VenueSettings> {
    return this.#api.send({ method: 'GET', path: '/console/api/venue' }, options);
  }
  /**
   * Change the settings of the venue. They count for both modes, from the next page, text and mail on.
   * `POST /console/api/venue`
   */
  updateVenue(body?: VenueUpdate, options?: RequestOptions): ApiPromise<VenueSettings> {
    return this.#api.send({ method: 'POST', path: '/console/api/venue', body }, options);
  }
  /**
   * List the registered origins of the venue. Those of both modes, at most 50 in each.
   * `GET /console/api/origins`
   */
  listOrigins(options?: RequestOptions): PagePromise<VenueOrigin, {
    readonly data: readonly VenueOrigin[];
  }> {
    return this.#api.list({ method: 'GET', path: '/console/api/origins' }, options);
  }
  /**
   * Register an origin. Its pages may use publishable keys of that mode, and guests may return to it. `mode` names the mode; a venue that is not linked yet sets its live origins from a session in test mode.
   * `POST /console/api/origins`
   */
  addOrigin(body: VenueOriginChange, options?: RequestOptions): ApiPromise<VenueOrigin> {
    return this.#api.send({ method: 'POST', path: '/console/api/origins', body }, options);
  }
  /**
   * Remove an origin. The next request of its pages with a publishable key of that mode is refused. Checkouts keep their `return_url`.
   * `POST /console/api/origins/remove`
   */
  removeOrigin(body: VenueOriginChange, options?: RequestOptions): ApiPromise<VenueOrigin> {
    return this.#api.send({ method: 'POST', path: '/console/api/origins/remove', body }, options);
  }
  /**
   * List the audit log of the venue. Newest first, what was done in both modes: to keys, origins, settings, people, endpoints, integrations, reviews and refunds, and by whom.
   * `GET /console/api/audit`
   */
  listAudit(query?: ListAuditParams, options?: RequestOptions): PagePromise<AuditEntry> {
    return this.#api.list({ method: 'GET', path: '/console/api/audit', query, cursor: 'before' }, options);
  }
  /**
   * List the audit log of the venue, as CSV. Newest first, what was done in both modes: to keys, origins, settings, people, endpoints, integrations, reviews and refunds, and by whom.
   * `GET /console/api/audit`
   */
  listAuditCsv(query?: ListAuditParams, options?: RequestOptions): ApiPromise<string> {
    return this.#api.send({ method: 'GET', path: '/console/api/audit', query, accept: 'text/csv' }, options);
  }
  /**
   * Get how an endpoint has answered in the last 48 hours. By the hour of the event: delivered with the first try, delivered later, waiting, failed. Samples do not count. Of more than 20,000 deliveries the newest count.
   * `GET /console/api/webhook_endpoints/{id}/health`
   */
  getEndpointHealth(id: string, options?: RequestOptions): ApiPromise<EndpointHealth> {
    return this.#api.send({ method: 'GET', path: '/console/api/webhook_endpoints/{id}/health', params: [id] }, options);
  }
  /**
   * Get the checklist of going live. Each line is computed when it is read. When all hold, the venue is linked: live keys can be created, and venue systems connected.
   * `GET /console/api/go_live`
   */
  getGoLive(options?: RequestOptions): ApiPromise<GoLive> {
    return this.#api.send({ method: 'GET', path: '/console/api/go_live' }, options);
  }
  /**
   * Name the domain of the venue. The answer has the TXT record that shows that the domain is the venue’s. Naming the same domain again keeps its record; another domain replaces one that is not verified. A verified one stays (409 `domain_verified`).
   * `POST /console/api/go_live/domain`
   */
  startDomainVerification(body: DomainCreate, options?: RequestOptions): ApiPromise<GoLive> {
    return this.#api.send({ method: 'POST', path: '/console/api/go_live/domain', body }, options);
  }
  /**
   * Look for the record of the domain now. The record counts at `_everyshare.<domain>` and at the domain itself. If it is not there, `domain.check` says what was found. At most 60 times an hour for a venue.
   * `POST /console/api/go_live/domain/check`
   */
  checkDomain(options?: RequestOptions): ApiPromise<GoLive> {
    return this.#api.send({ method: 'POST', path: '/console/api/go_live/domain/check' }, options);
  }
  /**
   * Mail a code to an address at the domain. In place of the TXT record. Addresses at public mail providers are refused. The code is valid for 10 minutes and 5 tries, in this session.
   * `POST /console/api/go_live/domain/mail`
   */
  sendDomainCode(body: DomainMail, options?: RequestOptions): ApiPromise<ConsoleChallenge> {
    return this.#api.send({ method: 'POST', path: '/console/api/go_live/domain/mail', body }, options);
  }
  /**
   * Verify the domain with the mailed code.
   * `POST /console/api/go_live/domain/mail/verify`
   */
  verifyDomainCode(body: DomainCode, options?: RequestOptions): ApiPromise<GoLive> {
    return this.#api.send({ method: 'POST', path: '/console/api/go_live/domain/mail/verify', body }, options);
  }
  /**
   * Begin or continue the payout onboarding. The answer is the address of the card processor’s own form, for live mode. It leads back to a page of this service that says what is still due, and links to the console.
   * `POST /console/api/go_live/payouts`
   */
  startPayoutOnboarding(body: PayoutOnboardingCreate, options?: RequestOptions): ApiPromise<PayoutOnboarding> {
    return this.#api.send({ method: 'POST', path: '/console/api/go_live/payouts', body }, options);
  }
  /**
   * Accept the terms of the service. Who accepted which address, and when, is stored and audited.
   * `POST /console/api/go_live/terms`
   */
  acceptTerms(body: TermsAccept, options?: RequestOptions): ApiPromise<GoLive> {
    return this.#api.send({ method: 'POST', path: '/console/api/go_live/terms', body }, options);
  }
  /**
   * Get which mails you get about the venue.
   * `GET /console/api/notifications`
   */
  getNotifications(options?: RequestOptions): PagePromise<NotificationPreference, {
    readonly data: readonly NotificationPreference[];
  }> {
    return this.#api.list({ method: 'GET', path: '/console/api/notifications' }, options);
  }
  /**
   * Choose which mails you get about the venue. Your own choice, for this venue alone. Mails about the security of your account are always sent.
   * `POST /console/api/notifications`
   */
  changeNotifications(body: NotificationChange, options?: RequestOptions): PagePromise<NotificationPreference, {
    readonly data: readonly NotificationPreference[];
  }> {
    return this.#api.list({ method: 'POST', path: '/console/api/notifications', body }, options);
  }
  /**
   * Get the signed-in operator.
   * `GET /desk/api/session`
   */
  getDeskSession(options?: RequestOptions): ApiPromise<DeskSession> {
    return this.#api.send({ method: 'GET', path: '/desk/api/session' }, options);
  }
  /**
   * List what waits for review. Offerings, events and boats of every venue, in both modes. What waits comes oldest first; what was reviewed, newest first.
   * `GET /desk/api/reviews`
   */
  listReviews(query?: ListReviewsParams, options?: RequestOptions): PagePromise<ReviewItem, {
    readonly data: readonly ReviewItem[];
    /** Send it as `after` to get the next page; null on the last page. */
    readonly next_after: string | null;
    /** How many objects wait for review. */
    readonly waiting: number;
    readonly reasons: readonly ReviewReason[];
  }> {
    return this.#api.list({ method: 'GET', path: '/desk/api/reviews', query, cursor: 'after' }, options);
  }
  /**
   * Get an object as a reviewer sees it. What members see beside what waits, where the two differ, what reviewers alone see, and the decisions.
   * `GET /desk/api/reviews/{id}`
   */
  getReview(id: string, options?: RequestOptions): ApiPromise<ReviewCase> {
    return this.#api.send({ method: 'GET', path: '/desk/api/reviews/{id}', params: [id] }, options);
  }
  /**
   * Approve what waits. Members see it from now on. 409 `changed_since`: it was changed after it was shown.
   * `POST /desk/api/reviews/{id}/approve`
   */
  approveReview(id: string, body: DeskDecision, options?: RequestOptions): ApiPromise<ReviewCase> {
    return this.#api.send({ method: 'POST', path: '/desk/api/reviews/{id}/approve', params: [id], body }, options);
  }
  /**
   * Reject what waits. The venue reads the note. A version that members see stays. 409 `changed_since`: it was changed after it was shown.
   * `POST /desk/api/reviews/{id}/reject`
   */
  rejectReview(id: string, body: DeskRejection, options?: RequestOptions): ApiPromise<ReviewCase> {
    return this.#api.send({ method: 'POST', path: '/desk/api/reviews/{id}/reject', params: [id], body }, options);
  }
  /**
   * Take down what members see. Members see no version of it from now on, and the venue reads the note. 409 `changed_since`: it was changed after it was shown.
   * `POST /desk/api/reviews/{id}/take_down`
   */
  takeDownReview(id: string, body: DeskRejection, options?: RequestOptions): ApiPromise<ReviewCase> {
    return this.#api.send({ method: 'POST', path: '/desk/api/reviews/{id}/take_down', params: [id], body }, options);
  }
  /**
   * Let what was rejected wait again. Its note is gone, and its venue gets no event. 409 `changed_since`: it was changed after it was shown.
   * `POST /desk/api/reviews/{id}/reopen`
   */
  reopenReview(id: string, body: DeskDecision, options?: RequestOptions): ApiPromise<ReviewCase> {
    return this.#api.send({ method: 'POST', path: '/desk/api/reviews/{id}/reopen', params: [id], body }, options);
  }
  /**
   * Get what needs a person about money. Failed refunds, transfers and reversals, debts and disputes; what is tried again by itself; the last reconcile and ledger check.
   * `GET /desk/api/money`
   */
  getMoneyHealth(query?: GetMoneyHealthParams, options?: RequestOptions): ApiPromise<MoneyHealth> {
    return this.#api.send({ method: 'GET', path: '/desk/api/money', query }, options);
  }
  /**
   * Compare a mode with the card processor now. A worker begins within seconds, as it does every six hours, and settles what is open. What it finds is in `reconciles`. 404: the mode has no card processor.
   * `POST /desk/api/money/reconcile`
   */
  requestReconcile(body: ReconcileRequest, options?: RequestOptions): ApiPromise<MoneyAction> {
    return this.#api.send({ method: 'POST', path: '/desk/api/money/reconcile', body }, options);
  }
  /**
   * Charge the cards of a funded checkout now. A card that is charged is never charged again. The answer is 200 `funded`, with `error`, when the processor failed again. 409 `not_funded`: nothing is left to charge.
   * `POST /desk/api/money/venues/{venue_id}/checkouts/{id}/retry`
   */
  retryCapture(venueId: string, id: string, options?: RequestOptions): ApiPromise<MoneyAction> {
    return this.#api.send({ method: 'POST', path: '/desk/api/money/venues/{venue_id}/checkouts/{id}/retry', params: [venueId, id] }, options);
  }
  /**
   * Try a refund, transfer or reversal again. The worker sends it within a second. A failed one uses another key at the processor. 409 `not_retryable`: it is done, or not due yet; `already_reserved`: an operator pays it by hand.
   * `POST /desk/api/money/venues/{venue_id}/movements/{id}/retry`
   */
  retryMovement(venueId: string, id: string, options?: RequestOptions): ApiPromise<MoneyAction> {
    return this.#api.send({ method: 'POST', path: '/desk/api/money/venues/{venue_id}/movements/{id}/retry', params: [venueId, id] }, options);
  }
  /**
   * Reserve a failed refund or transfer for payment by hand. Before you pay it: from now on it is not sent again. 409 `already_reserved`: another operator pays it. `take_over` with a `note` makes it yours, and at no moment it can be sent. `not_failed`: it was sent again; `charge_disputed`: a dispute of its charge is not decided.
   * `POST /desk/api/money/venues/{venue_id}/movements/{id}/reserve`
   */
  reserveForPaymentByHand(venueId: string, id: string, body?: Reservation, options?: RequestOptions): ApiPromise<MoneyAction> {
    return this.#api.send({ method: 'POST', path: '/desk/api/money/venues/{venue_id}/movements/{id}/reserve', params: [venueId, id], body }, options);
  }
  /**
   * Give a reserved refund or transfer back. It was not paid by hand, and can be tried again. What another operator has reserved needs a `note` (422). 409 `not_failed`: it has an end; `already_reserved`: not since `reserved_at`.
   * `POST /desk/api/money/venues/{venue_id}/movements/{id}/give_back`
   */
  giveBackReserved(venueId: string, id: string, body?: ReservationReturn, options?: RequestOptions): ApiPromise<MoneyAction> {
    return this.#api.send({ method: 'POST', path: '/desk/api/money/venues/{venue_id}/movements/{id}/give_back', params: [venueId, id], body }, options);
  }
  /**
   * Make a failed reversal a debt of the venue. It is not tried again: later payouts settle it, or it is written off. 409 `not_failed`: it is no failed reversal.
   * `POST /desk/api/money/venues/{venue_id}/movements/{id}/owe`
   */
  oweReversal(venueId: string, id: string, options?: RequestOptions): ApiPromise<MoneyAction> {
    return this.#api.send({ method: 'POST', path: '/desk/api/money/venues/{venue_id}/movements/{id}/owe', params: [venueId, id] }, options);
  }
  /**
   * Record that a reserved refund or transfer was paid outside. It is never sent again. The ledger has it as paid elsewhere. 409 `not_reserved`: you have not reserved it; `not_failed`: it has not failed.
   * `POST /desk/api/money/venues/{venue_id}/movements/{id}/pay_by_hand`
   */
  payByHand(venueId: string, id: string, body: ManualPayment, options?: RequestOptions): ApiPromise<MoneyAction> {
    return this.#api.send({ method: 'POST', path: '/desk/api/money/venues/{venue_id}/movements/{id}/pay_by_hand', params: [venueId, id], body }, options);
  }
  /**
   * Write off what a venue owes. The loss is ours, and the ledger has it. 409 `debt_changed`: the venue owes another amount by now.
   * `POST /desk/api/money/venues/{venue_id}/movements/{id}/write_off`
   */
  writeOffDebt(venueId: string, id: string, body: DebtWriteOff, options?: RequestOptions): ApiPromise<MoneyAction> {
    return this.#api.send({ method: 'POST', path: '/desk/api/money/venues/{venue_id}/movements/{id}/write_off', params: [venueId, id], body }, options);
  }
  /**
   * Get the health of the installation. Queues and their oldest row, endpoints, senders, card processors, the processes that run, and the last checks of the books.
   * `GET /desk/api/health`
   */
  deskHealth(options?: RequestOptions): ApiPromise<DeskHealth> {
    return this.#api.send({ method: 'GET', path: '/desk/api/health' }, options);
  }
  /**
   * Search venues. Newest first.
   * `GET /desk/api/venues`
   */
  listDeskVenues(query?: ListDeskVenuesParams, options?: RequestOptions): PagePromise<DeskVenueItem> {
    return this.#api.list({ method: 'GET', path: '/desk/api/venues', query, cursor: 'before' }, options);
  }
  /**
   * Get a venue as an operator sees it.
   * `GET /desk/api/venues/{id}`
   */
  getDeskVenue(id: string, options?: RequestOptions): ApiPromise<DeskVenue> {
    return this.#api.send({ method: 'GET', path: '/desk/api/venues/{id}', params: [id] }, options);
  }
  /**
   * Set the fee of a venue. For checkouts that are created from now on. 409 `fee_below_cost`: it does not cover what the processor charges for some parties, and `accept_below_cost` is not true.
   * `POST /desk/api/venues/{id}/fee`
   */
  setVenueFee(id: string, body: DeskFee, options?: RequestOptions): ApiPromise<DeskVenue> {
    return this.#api.send({ method: 'POST', path: '/desk/api/venues/{id}/fee', params: [id], body }, options);
  }
  /**
   * Suspend a venue. No new checkouts in either mode (403 `venue_suspended`); those that exist end as they would.
   * `POST /desk/api/venues/{id}/suspend`
   */
  suspendVenue(id: string, body: VenueSuspension, options?: RequestOptions): ApiPromise<DeskVenue> {
    return this.#api.send({ method: 'POST', path: '/desk/api/venues/{id}/suspend', params: [id], body }, options);
  }
  /**
   * Let a suspended venue go on.
   * `POST /desk/api/venues/{id}/resume`
   */
  resumeVenue(id: string, options?: RequestOptions): ApiPromise<DeskVenue> {
    return this.#api.send({ method: 'POST', path: '/desk/api/venues/{id}/resume', params: [id] }, options);
  }
  /**
   * Approve a venue that goes live. Needed where the installation asks for it (LIVE_NEEDS_APPROVAL=1). A venue of which every other line of the checklist holds is linked by it. Again: nothing changes.
   * `POST /desk/api/venues/{id}/approve`
   */
  approveVenue(id: string, options?: RequestOptions): ApiPromise<DeskVenue> {
    return this.#api.send({ method: 'POST', path: '/desk/api/venues/{id}/approve', params: [id] }, options);
  }
  /**
   * Raise the limits of a key or a venue for a time. For one key, or for every secret key of the venue, also those that it makes until the end. The higher of both limits counts; a raise that still runs is neither lowered nor shortened.
   * `POST /desk/api/venues/{id}/limits`
   */
  raiseLimits(id: string, body: LimitRaise, options?: RequestOptions): ApiPromise<DeskVenue> {
    return this.#api.send({ method: 'POST', path: '/desk/api/venues/{id}/limits', params: [id], body }, options);
  }
  /**
   * Look at a venue as its people see it. For half an hour this session reads the venue in the console, as a viewer of it. Writes are refused. It is in the audit log of the venue.
   * `POST /desk/api/venues/{id}/view`
   */
  viewVenue(id: string, options?: RequestOptions): ApiPromise<DeskView> {
    return this.#api.send({ method: 'POST', path: '/desk/api/venues/{id}/view', params: [id] }, options);
  }
  /**
   * Find a person. Mail addresses are stored encrypted, so a person is found by the whole address or by the id of the account.
   * `GET /desk/api/people`
   */
  listDeskPeople(query?: ListDeskPeopleParams, options?: RequestOptions): PagePromise<DeskPerson, {
    readonly data: readonly DeskPerson[];
  }> {
    return this.#api.list({ method: 'GET', path: '/desk/api/people', query }, options);
  }
  /**
   * List the operators.
   * `GET /desk/api/operators`
   */
  listOperators(options?: RequestOptions): PagePromise<DeskOperator, {
    readonly data: readonly DeskOperator[];
  }> {
    return this.#api.list({ method: 'GET', path: '/desk/api/operators' }, options);
  }
  /**
   * List the audit log of every venue and of the installation. Newest first.
   * `GET /desk/api/audit`
   */
  listDeskAudit(query?: ListDeskAuditParams, options?: RequestOptions): PagePromise<DeskAuditEntry> {
    return this.#api.list({ method: 'GET', path: '/desk/api/audit', query, cursor: 'before' }, options);
  }
}
