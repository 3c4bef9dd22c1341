// Generated from the operations and schemas/v1 by `npm run generate`. Do not edit.

import type { ApiPromise } from '../../../sdk/src/api-promise.ts';
import type { Api, RequestOptions } from '../../../sdk/src/api.ts';
import type { PagePromise } from '../../../sdk/src/page.ts';
import type { AccountSession, ApiKey, ApiKeyCreate, ApiKeyRoll, ApiKeyUpdate, ConsoleChallenge, ConsoleEnded, ConsoleLinkSignIn, ConsoleSession, ConsoleSignIn, ConsoleSignInVerify, ConsoleSignedIn, ConsoleStepUp, CreatedApiKey, Invitation, InvitationCreate, LoggedRequest, LoggedRequestDetail, Person, PersonRole, RequestSummary, RolledApiKey } from './types.gen.ts';

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
   * Invite a person by mail. Valid for 7 days and once. The person accepts by signing in with that mail address. A second invitation of an address replaces the first.
   * `POST /console/api/invitations`
   */
  invitePerson(body: InvitationCreate, options?: RequestOptions): ApiPromise<Invitation> {
    return this.#api.send({ method: 'POST', path: '/console/api/invitations', body }, options);
  }
  /**
   * Withdraw an invitation.
   * `DELETE /console/api/invitations/{id}`
   */
  withdrawInvitation(id: string, options?: RequestOptions): ApiPromise<ConsoleEnded> {
    return this.#api.send({ method: 'DELETE', path: '/console/api/invitations/{id}', params: [id] }, options);
  }
  /**
   * List the API keys of the venue. Newest first, those of the session’s mode, without their text.
   * `GET /console/api/keys`
   */
  listKeys(query?: ListKeysParams, options?: RequestOptions): PagePromise<ApiKey> {
    return this.#api.list({ method: 'GET', path: '/console/api/keys', query, cursor: 'before' }, options);
  }
  /**
   * Create an API key. In the session’s mode. The text of the key is in this answer only. A live key is for a linked venue, and needs a code of the last ten minutes. A venue has at most 100 active keys in a mode (409 `too_many_keys`).
   * `POST /console/api/keys`
   */
  createKey(body: ApiKeyCreate, options?: RequestOptions): ApiPromise<CreatedApiKey> {
    return this.#api.send({ method: 'POST', path: '/console/api/keys', body }, options);
  }
  /**
   * Change an API key. Its name, expiry and addresses; the next request with the key follows them. A revoked key cannot be changed (409 `key_revoked`).
   * `POST /console/api/keys/{id}`
   */
  updateKey(id: string, body?: ApiKeyUpdate, options?: RequestOptions): ApiPromise<ApiKey> {
    return this.#api.send({ method: 'POST', path: '/console/api/keys/{id}', params: [id], body }, options);
  }
  /**
   * Replace an API key by a new one. The new key has the same name, scopes, addresses and limits, and lives as long as the old one was to live. The old one keeps working for `overlap_hours`, but never longer than it would have. A key is rolled once: 409 `already_rolled`, `key_revoked` or `key_expired` otherwise. A live key needs a code of the last ten minutes.
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
  listRequests(query?: ListRequestsParams, options?: RequestOptions): PagePromise<LoggedRequest> {
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
}
