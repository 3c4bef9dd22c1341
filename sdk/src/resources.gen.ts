// Generated from the operations and schemas/v1 by `npm run generate`. Do not edit.

import type { ApiPromise } from './api-promise.ts';
import type { Api, RawBody, RequestOptions } from './api.ts';
import type { EventStream, StreamOptions } from './event-stream.ts';
import type { WebhookEvent } from './events.ts';
import type { PagePromise } from './page.ts';
import type { Analytics, Boat, Checkout, CheckoutCreate, CheckoutProgress, CreatedWebhookEndpoint, DeclinedInvite, Deleted, Delivery, EventExperience, Fleet, FleetResult, GuestCheckout, HoldCreate, HoldSecret, HookReceipt, InboundDelivery, Integration, IntegrationCredentials, IntegrationSync, InviteDecline, LegacyExperience, Me, Offering, OfferingBatch, OfferingBatchResult, Party, PartyResult, Payout, PayoutTotals, Receipt, ReceiptMail, Refund, Reminder, ReviewDecision, RotatedSecret, Seat, SignIn, SignInChallenge, SignInVerify, SignedIn, Slot, StoredBoat, StoredIntegration, StoredOffering, StoredWebhookEndpoint, Submission, TestAdvance, TestHold, WebhookEndpoint, WebhookRecover, WebhookRecovered, WebhookTestResult } from './types.gen.ts';

export type OfferingsListParams = {
  /** Only objects in this state. */
  readonly status?: "pending" | "approved" | "rejected";
  /** The largest number of objects in the page; a page of large objects has fewer. */
  readonly limit?: number;
  /** The `next_before` of the previous page: the answer holds only older objects. */
  readonly before?: string;
};

export type OfferingsListSlotsParams = {
  /** The beginning of the window. */
  readonly from: string;
  /** The end of the window, exclusive. */
  readonly to: string;
  /** How many people. */
  readonly party_size?: number;
};

export type ExperiencesListParams = {
  /** Only objects in this state. */
  readonly status?: "pending" | "approved" | "rejected";
  /** The largest number of objects in the page; a page of large objects has fewer. */
  readonly limit?: number;
  /** The `next_before` of the previous page: the answer holds only older objects. */
  readonly before?: string;
};

export type BoatsListParams = {
  /** Only objects in this state. */
  readonly status?: "pending" | "approved" | "rejected" | "inactive";
  /** The largest number of objects in the page; a page of large objects has fewer. */
  readonly limit?: number;
  /** The `next_before` of the previous page: the answer holds only older objects. */
  readonly before?: string;
};

export type CheckoutsListParams = {
  /** Only objects in this state. */
  readonly status?: "open" | "collecting" | "funded" | "completed" | "expired" | "canceled";
  /** The largest number of objects in the page; a page of large objects has fewer. */
  readonly limit?: number;
  /** The `next_before` of the previous page: the answer holds only older objects. */
  readonly before?: string;
};

export type PayoutsListParams = {
  /** The largest number of objects in the page; a page of large objects has fewer. */
  readonly limit?: number;
  /** The `next_before` of the previous page: the answer holds only older objects. */
  readonly before?: string;
  /** Only payouts created at this time or later. */
  readonly from?: string;
  /** Only payouts created before this time. */
  readonly to?: string;
};

export type WebhookEndpointsListDeliveriesParams = {
  /** Only objects in this state. */
  readonly status?: "pending" | "delivered" | "failed";
  /** The largest number of objects in the page; a page of large objects has fewer. */
  readonly limit?: number;
  /** The `next_before` of the previous page: the answer holds only older objects. */
  readonly before?: string;
};

export type EventsListParams = {
  /** The largest number of objects in the page; a page of large objects has fewer. */
  readonly limit?: number;
  /** The `next_before` of the previous page: the answer holds only older objects. */
  readonly before?: string;
  /** Only events of this type. No endpoint can subscribe to `refund.*`, `offering.*` and `webhook_endpoint.*`: they are in this log and its stream only. */
  readonly type?: "checkout.created" | "checkout.collecting" | "share.held" | "checkout.funded" | "checkout.completed" | "checkout.expired" | "checkout.canceled" | "refund.created" | "refund.failed" | "offering.approved" | "offering.rejected" | "webhook_endpoint.disabled";
  /** Only events of this checkout. */
  readonly checkout?: string;
};

export type IntegrationsListDeliveriesParams = {
  /** Only objects in this state. */
  readonly status?: "pending" | "reading" | "applied" | "ignored" | "superseded" | "unmapped" | "needs_api_read" | "failed";
  /** The largest number of objects in the page; a page of large objects has fewer. */
  readonly limit?: number;
  /** The `next_before` of the previous page: the answer holds only older objects. */
  readonly before?: string;
};

export type AnalyticsRetrieveParams = {
  /** The beginning of the window; 30 days before `to` when absent. */
  readonly from?: string;
  /** The end of the window, exclusive; now when absent. */
  readonly to?: string;
  /** Only this experience. */
  readonly experience_id?: string;
};

export class MeResource {
  readonly #api: Api;
  constructor(api: Api) {
    this.#api = api;
  }
  /**
   * Describe the key and its venue. The venue, mode, scopes and limits of the key, and the category slugs that offerings and events may carry. For a sandbox key the answer also lists the calls to make next.
   * `GET /v1/me`
   */
  retrieve(options?: RequestOptions): ApiPromise<Me> {
    return this.#api.send({ method: 'GET', path: '/v1/me', isWrapped: true }, options);
  }
}

export class OfferingsResource {
  readonly #api: Api;
  constructor(api: Api) {
    this.#api = api;
  }
  /**
   * Create or change offerings. Takes one offering, or `{offerings: [...]}` with 1 to 25. A batch is validated as a whole: if one offering has a problem, nothing is stored.
   * Scope: `offerings:write`.
   * `POST /v1/offerings`
   */
  upsert(body: Offering, options?: RequestOptions): ApiPromise<{
    /** An offering as the API returns it: the submitted fields, and its review. */
    readonly data: StoredOffering;
    /** True when the same content was sent before: nothing was written. */
    readonly duplicate: boolean;
    /** True when an existing object was changed. */
    readonly updated: boolean;
  }>;
  /**
   * Create or change offerings. Takes one offering, or `{offerings: [...]}` with 1 to 25. A batch is validated as a whole: if one offering has a problem, nothing is stored.
   * Scope: `offerings:write`.
   * `POST /v1/offerings`
   */
  upsert(body: OfferingBatch, options?: RequestOptions): ApiPromise<OfferingBatchResult>;
  upsert(body: Offering | OfferingBatch, options?: RequestOptions): ApiPromise<never> {
    return this.#api.send({ method: 'POST', path: '/v1/offerings', body, isRepeatable: true }, options);
  }
  /**
   * List offerings. Most recently changed first.
   * Scope: `offerings:read`.
   * `GET /v1/offerings`
   */
  list(query?: OfferingsListParams, options?: RequestOptions): PagePromise<StoredOffering> {
    return this.#api.list({ method: 'GET', path: '/v1/offerings', query, cursor: 'before' }, options);
  }
  /**
   * Get one offering. By its id or by your own `external_id`, percent-encoded.
   * Scope: `offerings:read`.
   * `GET /v1/offerings/{id}`
   */
  retrieve(id: string, options?: RequestOptions): ApiPromise<StoredOffering> {
    return this.#api.send({ method: 'GET', path: '/v1/offerings/{id}', params: [id], isWrapped: true }, options);
  }
  /**
   * List the bookable slots and their prices. Expands slots and recurrence rules in the venue’s timezone and prices each slot. `from` and `to` are at most 62 days apart.
   * Scope: `offerings:read`.
   * `GET /v1/offerings/{id}/slots`
   */
  listSlots(id: string, query: OfferingsListSlotsParams, options?: RequestOptions): PagePromise<Slot, {
    readonly data: readonly Slot[];
    /** The time at which this answer ends: send it as `from`, with the same `to`, for the slots that follow. Null when the answer is complete. */
    readonly next_from: string | null;
  }> {
    return this.#api.list({ method: 'GET', path: '/v1/offerings/{id}/slots', params: [id], query, cursor: 'from' }, options);
  }
}

export class ExperiencesResource {
  readonly #api: Api;
  constructor(api: Api) {
    this.#api = api;
  }
  /**
   * Submit a dated event. Takes an Event or the older experience body. A second call with the same `external_id` answers 200 with the original and changes nothing.
   * Scope: `offerings:write`.
   * `POST /v1/experiences`
   */
  submit(body: LegacyExperience | EventExperience, options?: RequestOptions): ApiPromise<{
    /** A submitted event, and the status of its review. */
    readonly data: Submission;
    /** True when this `external_id` was submitted before: `data` is the first submission, and what was sent now is not stored. */
    readonly duplicate: boolean;
  }> {
    return this.#api.send({ method: 'POST', path: '/v1/experiences', body, isRepeatable: body.external_id !== undefined }, options);
  }
  /**
   * List submissions. Newest first.
   * Scope: `offerings:read`.
   * `GET /v1/experiences`
   */
  list(query?: ExperiencesListParams, options?: RequestOptions): PagePromise<Submission> {
    return this.#api.list({ method: 'GET', path: '/v1/experiences', query, cursor: 'before' }, options);
  }
  /**
   * Get one submission.
   * Scope: `offerings:read`.
   * `GET /v1/experiences/{id}`
   */
  retrieve(id: string, options?: RequestOptions): ApiPromise<Submission> {
    return this.#api.send({ method: 'GET', path: '/v1/experiences/{id}', params: [id], isWrapped: true }, options);
  }
}

export class BoatsResource {
  readonly #api: Api;
  constructor(api: Api) {
    this.#api = api;
  }
  /**
   * Create or change boats. Takes one boat, or `{boats: [...]}` with 1 to 100, up to 1 MB. A fleet is processed boat by boat: valid boats are stored even when others fail.
   * Scope: `boats:write`.
   * `POST /v1/boats`
   */
  upsert(body: Boat, options?: RequestOptions): ApiPromise<{
    /** A boat as the API returns it: the submitted fields without extra, and its review. */
    readonly data: StoredBoat;
    /** What happened to the boat. */
    readonly result: "created" | "updated" | "unchanged";
    /** True when the same content was sent before: nothing was written. */
    readonly duplicate: boolean;
    /** True when an existing object was changed. */
    readonly updated: boolean;
  }>;
  /**
   * Create or change boats. Takes one boat, or `{boats: [...]}` with 1 to 100, up to 1 MB. A fleet is processed boat by boat: valid boats are stored even when others fail.
   * Scope: `boats:write`.
   * `POST /v1/boats`
   */
  upsert(body: Fleet, options?: RequestOptions): ApiPromise<FleetResult>;
  upsert(body: Boat | Fleet, options?: RequestOptions): ApiPromise<never> {
    return this.#api.send({ method: 'POST', path: '/v1/boats', body, isRepeatable: true }, options);
  }
  /**
   * List boats. Most recently changed first.
   * Scope: `boats:read`.
   * `GET /v1/boats`
   */
  list(query?: BoatsListParams, options?: RequestOptions): PagePromise<StoredBoat> {
    return this.#api.list({ method: 'GET', path: '/v1/boats', query, cursor: 'before' }, options);
  }
  /**
   * Get one boat. By its id or by your own `external_id`, percent-encoded.
   * Scope: `boats:read`.
   * `GET /v1/boats/{id}`
   */
  retrieve(id: string, options?: RequestOptions): ApiPromise<StoredBoat> {
    return this.#api.send({ method: 'GET', path: '/v1/boats/{id}', params: [id], isWrapped: true }, options);
  }
  /**
   * Deactivate a boat. The same as sending the boat again with `active` false.
   * Scope: `boats:write`.
   * `POST /v1/boats/{id}/deactivate`
   */
  deactivate(id: string, options?: RequestOptions): ApiPromise<StoredBoat> {
    return this.#api.send({ method: 'POST', path: '/v1/boats/{id}/deactivate', params: [id], isWrapped: true, isRepeatable: true }, options);
  }
}

export class CheckoutsResource {
  readonly #api: Api;
  constructor(api: Api) {
    this.#api = api;
  }
  /**
   * Create a checkout for a party. The amount is the party’s whole total. Without the Idempotency-Key header, `external_booking_id` is the key. A live checkout needs a venue that can be paid.
   * Scope: `checkouts:write`.
   * `POST /v1/checkouts`
   */
  create(body: CheckoutCreate, options?: RequestOptions): ApiPromise<Checkout> {
    return this.#api.send({ method: 'POST', path: '/v1/checkouts', body, takesKey: true }, options);
  }
  /**
   * List checkouts. Newest first.
   * Scope: `checkouts:read`.
   * `GET /v1/checkouts`
   */
  list(query?: CheckoutsListParams, options?: RequestOptions): PagePromise<Checkout> {
    return this.#api.list({ method: 'GET', path: '/v1/checkouts', query, cursor: 'before' }, options);
  }
  /**
   * Get one checkout.
   * Scope: `checkouts:read`.
   * `GET /v1/checkouts/{id}`
   */
  retrieve(id: string, options?: RequestOptions): ApiPromise<Checkout> {
    return this.#api.send({ method: 'GET', path: '/v1/checkouts/{id}', params: [id] }, options);
  }
  /**
   * Cancel a checkout and release every hold. While it is open or collecting. Canceling a canceled one answers 200 unchanged.
   * Scope: `checkouts:write`.
   * `POST /v1/checkouts/{id}/cancel`
   */
  cancel(id: string, options?: RequestOptions): ApiPromise<Checkout> {
    return this.#api.send({ method: 'POST', path: '/v1/checkouts/{id}/cancel', params: [id], takesKey: true }, options);
  }
  /**
   * Refund a completed checkout. By `amount`, by the offering’s cancellation policy (`starts_at`), or the whole rest; divided over the shares in proportion.
   * Scope: `checkouts:write`.
   * `POST /v1/checkouts/{id}/refund`
   */
  refund(id: string, body?: Refund, options?: RequestOptions): ApiPromise<Checkout> {
    return this.#api.send({ method: 'POST', path: '/v1/checkouts/{id}/refund', params: [id], body, takesKey: true }, options);
  }
}

export class PayoutsResource {
  readonly #api: Api;
  constructor(api: Api) {
    this.#api = api;
  }
  /**
   * List payouts to the venue. Newest first. `from` and `to` make the list the statement of a period; `totals` cover the whole period, not only the page.
   * Scope: `checkouts:read`.
   * `GET /v1/payouts`
   */
  list(query?: PayoutsListParams, options?: RequestOptions): PagePromise<Payout, {
    readonly data: readonly Payout[];
    /** Send it as `before` to get the next page; null on the last page. */
    readonly next_before: string | null;
    /** The sums over every payout of the requested period, not only of the page. The amount still to be paid is amount less reversed_amount less paid_amount less offset_amount plus owed_amount. Over all time, the venue owes owed_amount less offset_amount. */
    readonly totals: PayoutTotals;
  }> {
    return this.#api.list({ method: 'GET', path: '/v1/payouts', query, cursor: 'before' }, options);
  }
  /**
   * List payouts to the venue, as CSV. Newest first. `from` and `to` make the list the statement of a period; `totals` cover the whole period, not only the page.
   * Scope: `checkouts:read`.
   * `GET /v1/payouts`
   */
  listCsv(query?: PayoutsListParams, options?: RequestOptions): ApiPromise<string> {
    return this.#api.send({ method: 'GET', path: '/v1/payouts', query, accept: 'text/csv' }, options);
  }
}

export class WebhookEndpointsResource {
  readonly #api: Api;
  constructor(api: Api) {
    this.#api = api;
  }
  /**
   * Register an address for events. The signing `secret` is in this answer only. Up to 50 endpoints for a venue and mode. The address must be public: it is checked here, and again at each delivery.
   * Scope: `webhooks:write`.
   * `POST /v1/webhook_endpoints`
   */
  create(body: WebhookEndpoint, options?: RequestOptions): ApiPromise<CreatedWebhookEndpoint> {
    return this.#api.send({ method: 'POST', path: '/v1/webhook_endpoints', body, takesKey: true }, options);
  }
  /**
   * List the addresses for events. Secrets are never listed.
   * Scope: `webhooks:write`.
   * `GET /v1/webhook_endpoints`
   */
  list(options?: RequestOptions): PagePromise<StoredWebhookEndpoint, {
    readonly data: readonly StoredWebhookEndpoint[];
  }> {
    return this.#api.list({ method: 'GET', path: '/v1/webhook_endpoints' }, options);
  }
  /**
   * Remove an address for events.
   * Scope: `webhooks:write`.
   * `DELETE /v1/webhook_endpoints/{id}`
   */
  delete(id: string, options?: RequestOptions): ApiPromise<Deleted> {
    return this.#api.send({ method: 'DELETE', path: '/v1/webhook_endpoints/{id}', params: [id] }, options);
  }
  /**
   * List the deliveries to an endpoint. Newest first, for 30 days, each with the response of the receiver.
   * Scope: `webhooks:write`.
   * `GET /v1/webhook_endpoints/{id}/deliveries`
   */
  listDeliveries(id: string, query?: WebhookEndpointsListDeliveriesParams, options?: RequestOptions): PagePromise<Delivery> {
    return this.#api.list({ method: 'GET', path: '/v1/webhook_endpoints/{id}/deliveries', params: [id], query, cursor: 'before' }, options);
  }
  /**
   * Send a delivery again. In any status: the delivery is due at once, and is retried for another 72 hours.
   * Scope: `webhooks:write`.
   * `POST /v1/webhook_endpoints/{id}/deliveries/{delivery_id}/redeliver`
   */
  redeliver(id: string, deliveryId: string, options?: RequestOptions): ApiPromise<Delivery> {
    return this.#api.send({ method: 'POST', path: '/v1/webhook_endpoints/{id}/deliveries/{delivery_id}/redeliver', params: [id, deliveryId] }, options);
  }
  /**
   * Send failed deliveries again, from a given time on. Use it after an outage of your server, or after you have enabled an endpoint again. Deliveries that wait for their next try are sent at once, too.
   * Scope: `webhooks:write`.
   * `POST /v1/webhook_endpoints/{id}/recover`
   */
  recover(id: string, body: WebhookRecover, options?: RequestOptions): ApiPromise<WebhookRecovered> {
    return this.#api.send({ method: 'POST', path: '/v1/webhook_endpoints/{id}/recover', params: [id], body }, options);
  }
  /**
   * Change the signing secret. The old secret signs in addition to the new one for 24 hours, up to four earlier secrets at a time. Send an `Idempotency-Key` to get the same answer again if it is lost.
   * Scope: `webhooks:write`.
   * `POST /v1/webhook_endpoints/{id}/rotate_secret`
   */
  rotateSecret(id: string, options?: RequestOptions): ApiPromise<RotatedSecret> {
    return this.#api.send({ method: 'POST', path: '/v1/webhook_endpoints/{id}/rotate_secret', params: [id], takesKey: true }, options);
  }
  /**
   * Send a sample event now. A `checkout.completed` marked `"sample": true`, signed like any other, sent once. It is in the list of deliveries.
   * Scope: `webhooks:write`.
   * `POST /v1/webhook_endpoints/{id}/test`
   */
  test(id: string, options?: RequestOptions): ApiPromise<WebhookTestResult> {
    return this.#api.send({ method: 'POST', path: '/v1/webhook_endpoints/{id}/test', params: [id] }, options);
  }
  /**
   * Stop sending events to an endpoint. Takes effect within a second. Pending and new deliveries are logged as failed with `endpoint_disabled`, so that they can be recovered.
   * Scope: `webhooks:write`.
   * `POST /v1/webhook_endpoints/{id}/disable`
   */
  disable(id: string, options?: RequestOptions): ApiPromise<StoredWebhookEndpoint> {
    return this.#api.send({ method: 'POST', path: '/v1/webhook_endpoints/{id}/disable', params: [id], isRepeatable: true }, options);
  }
  /**
   * Send events to an endpoint again.
   * Scope: `webhooks:write`.
   * `POST /v1/webhook_endpoints/{id}/enable`
   */
  enable(id: string, options?: RequestOptions): ApiPromise<StoredWebhookEndpoint> {
    return this.#api.send({ method: 'POST', path: '/v1/webhook_endpoints/{id}/enable', params: [id], isRepeatable: true }, options);
  }
}

export class EventsResource {
  readonly #api: Api;
  constructor(api: Api) {
    this.#api = api;
  }
  /**
   * Read the event log. Newest first, including the types that an endpoint cannot subscribe to.
   * Scope: `webhooks:write`.
   * `GET /v1/events`
   */
  list(query?: EventsListParams, options?: RequestOptions): PagePromise<WebhookEvent> {
    return this.#api.list({ method: 'GET', path: '/v1/events', query, cursor: 'before' }, options);
  }
  /**
   * Follow the event log. Server-sent events from now on: `id` is the id of the event, `event` its type, `data` the event as JSON. With the header `Last-Event-ID` the stream goes on after that event. A comment comes every 15 seconds. An event may come again after a break: compare ids. A key can have 5 streams open; a sixth is 429.
   * Scope: `webhooks:write`.
   * `GET /v1/events/stream`
   */
  stream(options?: StreamOptions): EventStream {
    return this.#api.stream({ path: '/v1/events/stream' }, options);
  }
  /**
   * Get one event.
   * Scope: `webhooks:write`.
   * `GET /v1/events/{id}`
   */
  retrieve(id: string, options?: RequestOptions): ApiPromise<WebhookEvent> {
    return this.#api.send({ method: 'GET', path: '/v1/events/{id}', params: [id] }, options);
  }
}

export class IntegrationsResource {
  readonly #api: Api;
  constructor(api: Api) {
    this.#api = api;
  }
  /**
   * Connect a venue system. The webhook address and, for `custom`, the signing secret are in this answer only. Send an `Idempotency-Key` to get the same answer again if it is lost. Up to 50 for a venue and mode.
   * Scope: `webhooks:write`.
   * `POST /v1/integrations`
   */
  create(body: Integration, options?: RequestOptions): ApiPromise<StoredIntegration> {
    return this.#api.send({ method: 'POST', path: '/v1/integrations', body, isWrapped: true, takesKey: true }, options);
  }
  /**
   * List connected venue systems. Tokens are never listed.
   * Scope: `webhooks:write`.
   * `GET /v1/integrations`
   */
  list(options?: RequestOptions): PagePromise<StoredIntegration, {
    readonly data: readonly StoredIntegration[];
  }> {
    return this.#api.list({ method: 'GET', path: '/v1/integrations' }, options);
  }
  /**
   * Disconnect a venue system.
   * Scope: `webhooks:write`.
   * `POST /v1/integrations/{id}/revoke`
   */
  revoke(id: string, options?: RequestOptions): ApiPromise<StoredIntegration> {
    return this.#api.send({ method: 'POST', path: '/v1/integrations/{id}/revoke', params: [id], isWrapped: true, isRepeatable: true }, options);
  }
  /**
   * Set the credentials for the API of a venue system. Some venue systems send only ids. With credentials the server reads the object after such a delivery, and applies it as if the delivery had carried it. `reads.credential_fields` of the integration names the fields. They replace earlier ones, are stored encrypted, and are never shown. If the venue system refuses them, `reads.status` becomes `paused` within a minute, and nothing is read until you set others.
   * Scope: `webhooks:write`.
   * `POST /v1/integrations/{id}/credentials`
   */
  setCredentials(id: string, body: IntegrationCredentials, options?: RequestOptions): ApiPromise<StoredIntegration> {
    return this.#api.send({ method: 'POST', path: '/v1/integrations/{id}/credentials', params: [id], body, isWrapped: true, isRepeatable: true }, options);
  }
  /**
   * Delete the credentials for the API of a venue system. Nothing is read any more. Deliveries that wait for a read become `needs_api_read`.
   * Scope: `webhooks:write`.
   * `DELETE /v1/integrations/{id}/credentials`
   */
  deleteCredentials(id: string, options?: RequestOptions): ApiPromise<StoredIntegration> {
    return this.#api.send({ method: 'DELETE', path: '/v1/integrations/{id}/credentials', params: [id], isWrapped: true, isRepeatable: true }, options);
  }
  /**
   * Read the whole catalogue of a venue system. In the background, within the limits of the venue system. A second call while a run is active answers with that run.
   * Scope: `webhooks:write`.
   * `POST /v1/integrations/{id}/sync`
   */
  sync(id: string, options?: RequestOptions): ApiPromise<IntegrationSync> {
    return this.#api.send({ method: 'POST', path: '/v1/integrations/{id}/sync', params: [id], isWrapped: true }, options);
  }
  /**
   * Read the progress of the last catalogue run. What was read, created, changed and skipped, and why. 404 before the first run.
   * Scope: `webhooks:write`.
   * `GET /v1/integrations/{id}/sync`
   */
  getSync(id: string, options?: RequestOptions): ApiPromise<IntegrationSync> {
    return this.#api.send({ method: 'GET', path: '/v1/integrations/{id}/sync', params: [id], isWrapped: true }, options);
  }
  /**
   * List the deliveries of a venue system. Newest first, for 30 days, each with its outcome.
   * Scope: `webhooks:write`.
   * `GET /v1/integrations/{id}/deliveries`
   */
  listDeliveries(id: string, query?: IntegrationsListDeliveriesParams, options?: RequestOptions): PagePromise<InboundDelivery> {
    return this.#api.list({ method: 'GET', path: '/v1/integrations/{id}/deliveries', params: [id], query, cursor: 'before' }, options);
  }
  /**
   * Apply an inbound delivery again. Use it after you have removed the cause of a failure. A delivery that is older than what was applied since changes nothing. An `ignored` delivery can be applied again for one day: after that the answer is 409 `body_gone`.
   * Scope: `webhooks:write`.
   * `POST /v1/integrations/{id}/deliveries/{delivery_id}/replay`
   */
  replayDelivery(id: string, deliveryId: string, options?: RequestOptions): ApiPromise<InboundDelivery> {
    return this.#api.send({ method: 'POST', path: '/v1/integrations/{id}/deliveries/{delivery_id}/replay', params: [id, deliveryId], isWrapped: true }, options);
  }
}

export class HooksResource {
  readonly #api: Api;
  constructor(api: Api) {
    this.#api = api;
  }
  /**
   * Receive a delivery of a venue system. The token in the address is the credential. The delivery is stored before the answer and applied after it. A repeated delivery gets the id of the first. Up to 256 KB, 1 MB for `toast`. `HEAD` answers 200 while the token is valid.
   * Needs no key: the token in the address is the credential.
   * `POST /v1/hooks/{provider}/{token}`
   */
  deliver(provider: string, token: string, body: RawBody, options?: RequestOptions): ApiPromise<HookReceipt> {
    return this.#api.send({ method: 'POST', path: '/v1/hooks/{provider}/{token}', params: [provider, token], body, isOpen: true }, options);
  }
}

export class AnalyticsResource {
  readonly #api: Api;
  constructor(api: Api) {
    this.#api = api;
  }
  /**
   * Get the figures of the venue’s listings. Totals, figures for each approved experience and for each day in UTC. The window is at most 366 days; by default the last 30. Test activity is not counted. More than 5,000 approved experiences, or more than 20,000 lines of CSV, are 422: `experience_id` narrows the answer to one.
   * Scope: `analytics:read`.
   * `GET /v1/analytics`
   */
  retrieve(query?: AnalyticsRetrieveParams, options?: RequestOptions): ApiPromise<Analytics> {
    return this.#api.send({ method: 'GET', path: '/v1/analytics', query, isWrapped: true }, options);
  }
  /**
   * Get the figures of the venue’s listings, as CSV. Totals, figures for each approved experience and for each day in UTC. The window is at most 366 days; by default the last 30. Test activity is not counted. More than 5,000 approved experiences, or more than 20,000 lines of CSV, are 422: `experience_id` narrows the answer to one.
   * Scope: `analytics:read`.
   * `GET /v1/analytics`
   */
  retrieveCsv(query?: AnalyticsRetrieveParams, options?: RequestOptions): ApiPromise<string> {
    return this.#api.send({ method: 'GET', path: '/v1/analytics', query, accept: 'text/csv' }, options);
  }
}

export class GuestsCheckoutsResource {
  readonly #api: Api;
  constructor(api: Api) {
    this.#api = api;
  }
  /**
   * Get the guest’s view of a checkout. With a publishable key from a registered origin, or as a signed-in member.
   * Needs a publishable key, or the token of a signed-in member, as `apiKey`.
   * `GET /v1/public/checkouts/{id}`
   */
  retrieve(id: string, options?: RequestOptions): ApiPromise<GuestCheckout> {
    return this.#api.send({ method: 'GET', path: '/v1/public/checkouts/{id}', params: [id] }, options);
  }
  /**
   * Get the progress of a group. For a page of yours, with a publishable key from a registered origin, or as a signed-in member: counts and amounts, without names. The embed shows it.
   * Needs a publishable key, or the token of a signed-in member, as `apiKey`.
   * `GET /v1/public/checkouts/{id}/progress`
   */
  retrieveProgress(id: string, options?: RequestOptions): ApiPromise<CheckoutProgress> {
    return this.#api.send({ method: 'GET', path: '/v1/public/checkouts/{id}/progress', params: [id] }, options);
  }
  /**
   * Follow the progress of a group. Server-sent events: the present progress at once, then each change. The stream ends with the checkout, and otherwise after five minutes: open it again, with a pause. A message `alive` comes every 15 seconds. Opening a stream counts as one read. Too many streams of one address, or for one checkout, are 429: then read the progress from time to time.
   * Needs a publishable key, or the token of a signed-in member, as `apiKey`.
   * `GET /v1/public/checkouts/{id}/progress/stream`
   */
  streamProgress(id: string, options?: StreamOptions): EventStream<CheckoutProgress> {
    return this.#api.stream({ path: '/v1/public/checkouts/{id}/progress/stream', params: [id] }, options, ({ status }) => ['completed', 'expired', 'canceled'].includes(status));
  }
  /**
   * Choose the party and the split. An Idempotency-Key belongs to the member and the checkout.
   * Needs the token of a signed-in member as `apiKey`.
   * `POST /v1/public/checkouts/{id}/party`
   */
  chooseParty(id: string, body: Party, options?: RequestOptions): ApiPromise<PartyResult> {
    return this.#api.send({ method: 'POST', path: '/v1/public/checkouts/{id}/party', params: [id], body, takesKey: true }, options);
  }
  /**
   * Take an open seat of the party. A member who opens the link of the party takes a seat that has no name yet. A member who has a share in this checkout already gets that share.
   * Needs the token of a signed-in member as `apiKey`.
   * `POST /v1/public/checkouts/{id}/seat`
   */
  takeSeat(id: string, body?: Seat, options?: RequestOptions): ApiPromise<GuestCheckout> {
    return this.#api.send({ method: 'POST', path: '/v1/public/checkouts/{id}/seat', params: [id], body }, options);
  }
  /**
   * Get the receipt by mail. At most three mails for a guest and a checkout. The address is used for this mail alone.
   * Needs the token of a signed-in member as `apiKey`.
   * `POST /v1/public/checkouts/{id}/receipt`
   */
  mailReceipt(id: string, body: ReceiptMail, options?: RequestOptions): ApiPromise<Receipt> {
    return this.#api.send({ method: 'POST', path: '/v1/public/checkouts/{id}/receipt', params: [id], body }, options);
  }
}

export class GuestsSharesResource {
  readonly #api: Api;
  constructor(api: Api) {
    this.#api = api;
  }
  /**
   * Hold one share on a card. Without a body the card form pays. To cover several shares with one card, hold the first with `save_card`, confirm it with the card form, and hold each of the others with `card_share_id`: the server confirms them.
   * Needs the token of a signed-in member as `apiKey`.
   * `POST /v1/public/shares/{share_id}/hold`
   */
  hold(shareId: string, body?: HoldCreate, options?: RequestOptions): ApiPromise<HoldSecret> {
    return this.#api.send({ method: 'POST', path: '/v1/public/shares/{share_id}/hold', params: [shareId], body }, options);
  }
  /**
   * Say no to a share, or give up a held one. The share’s own guest leaves the party while the checkout is `collecting`. A hold is released, an open seat with the same amount takes the place of the share, and the organizer gets a text. Declining a declined share returns the checkout unchanged.
   * Needs the token of a signed-in member as `apiKey`.
   * `POST /v1/public/shares/{share_id}/decline`
   */
  decline(shareId: string, options?: RequestOptions): ApiPromise<GuestCheckout> {
    return this.#api.send({ method: 'POST', path: '/v1/public/shares/{share_id}/decline', params: [shareId] }, options);
  }
  /**
   * Remove a guest from the party. The organizer removes one guest while the checkout is `collecting`. A hold is released, and an open seat with the same amount takes the place of the share. Removing a removed guest returns the checkout unchanged.
   * Needs the token of a signed-in member as `apiKey`.
   * `POST /v1/public/shares/{share_id}/remove`
   */
  remove(shareId: string, options?: RequestOptions): ApiPromise<GuestCheckout> {
    return this.#api.send({ method: 'POST', path: '/v1/public/shares/{share_id}/remove', params: [shareId] }, options);
  }
  /**
   * Remind a guest to pay their share. For the organizer, while the share is unpaid: sends its guest a text, in the quiet hours of the venue in the morning. Within three hours of a reminder, by the organizer or by the service, nothing is sent and the answer has that reminder.
   * Needs the token of a signed-in member as `apiKey`.
   * `POST /v1/public/shares/{share_id}/remind`
   */
  remind(shareId: string, options?: RequestOptions): ApiPromise<Reminder> {
    return this.#api.send({ method: 'POST', path: '/v1/public/shares/{share_id}/remind', params: [shareId] }, options);
  }
}

export class GuestsInvitesResource {
  readonly #api: Api;
  constructor(api: Api) {
    this.#api = api;
  }
  /**
   * Say no by the link of an invite. For a guest who is not signed in: the token of the invite is the proof. Works while no card is held for the share; to release a card, sign in and decline the share.
   * Needs no key.
   * `POST /v1/public/invites/decline`
   */
  decline(body: InviteDecline, options?: RequestOptions): ApiPromise<DeclinedInvite> {
    return this.#api.send({ method: 'POST', path: '/v1/public/invites/decline', body, isOpen: true }, options);
  }
}

export class GuestsSignInResource {
  readonly #api: Api;
  constructor(api: Api) {
    this.#api = api;
  }
  /**
   * Ask for a code by text message. Answers the same whether or not the phone is known.
   * Needs no key.
   * `POST /v1/public/sign_in`
   */
  create(body: SignIn, options?: RequestOptions): ApiPromise<SignInChallenge> {
    return this.#api.send({ method: 'POST', path: '/v1/public/sign_in', body, isOpen: true }, options);
  }
  /**
   * Sign in with the code.
   * Needs no key.
   * `POST /v1/public/sign_in/verify`
   */
  verify(body: SignInVerify, options?: RequestOptions): ApiPromise<SignedIn> {
    return this.#api.send({ method: 'POST', path: '/v1/public/sign_in/verify', body, isOpen: true }, options);
  }
}

export class GuestsResource {
  readonly checkouts: GuestsCheckoutsResource;
  readonly shares: GuestsSharesResource;
  readonly invites: GuestsInvitesResource;
  readonly signIn: GuestsSignInResource;
  constructor(api: Api) {
    this.checkouts = new GuestsCheckoutsResource(api);
    this.shares = new GuestsSharesResource(api);
    this.invites = new GuestsInvitesResource(api);
    this.signIn = new GuestsSignInResource(api);
  }
}

export class ToolsResource {
  readonly #api: Api;
  constructor(api: Api) {
    this.#api = api;
  }
  /**
   * The tool server. MCP Streamable HTTP, stateless: each POST carries the key. The answer is one JSON-RPC message, or 202 without a body. The four tools that write count as writes; with a valid key `initialize`, `ping` and notifications are not counted; everything else counts as a read.
   * `POST /mcp`
   */
  call(body: object, options?: RequestOptions): ApiPromise<{ readonly [name: string]: unknown } | undefined> {
    return this.#api.send({ method: 'POST', path: '/mcp', body, accept: 'application/json, text/event-stream' }, options);
  }
}

export class TestHelpersCheckoutsResource {
  readonly #api: Api;
  constructor(api: Api) {
    this.#api = api;
  }
  /**
   * Choose a party of test members. Creates test members for the whole party, with an equal split.
   * Scope: `checkouts:write`.
   * `POST /v1/test_helpers/checkouts/{id}/collect`
   */
  collect(id: string, options?: RequestOptions): ApiPromise<Checkout> {
    return this.#api.send({ method: 'POST', path: '/v1/test_helpers/checkouts/{id}/collect', params: [id] }, options);
  }
  /**
   * Hold one share, or all. With the last share held, every card is charged: the checkout is completed.
   * Scope: `checkouts:write`.
   * `POST /v1/test_helpers/checkouts/{id}/hold`
   */
  hold(id: string, body?: TestHold, options?: RequestOptions): ApiPromise<Checkout> {
    return this.#api.send({ method: 'POST', path: '/v1/test_helpers/checkouts/{id}/hold', params: [id], body }, options);
  }
  /**
   * Complete a checkout. Collects a party, holds and captures the shares, as far as that is not done yet.
   * Scope: `checkouts:write`.
   * `POST /v1/test_helpers/checkouts/{id}/complete`
   */
  complete(id: string, options?: RequestOptions): ApiPromise<Checkout> {
    return this.#api.send({ method: 'POST', path: '/v1/test_helpers/checkouts/{id}/complete', params: [id] }, options);
  }
  /**
   * Let `pay_by` pass.
   * Scope: `checkouts:write`.
   * `POST /v1/test_helpers/checkouts/{id}/expire`
   */
  expire(id: string, options?: RequestOptions): ApiPromise<Checkout> {
    return this.#api.send({ method: 'POST', path: '/v1/test_helpers/checkouts/{id}/expire', params: [id] }, options);
  }
  /**
   * Move the checkout’s own clock.
   * Scope: `checkouts:write`.
   * `POST /v1/test_helpers/checkouts/{id}/advance`
   */
  advance(id: string, body: TestAdvance, options?: RequestOptions): ApiPromise<Checkout> {
    return this.#api.send({ method: 'POST', path: '/v1/test_helpers/checkouts/{id}/advance', params: [id], body }, options);
  }
}

export class TestHelpersResource {
  readonly #api: Api;
  readonly checkouts: TestHelpersCheckoutsResource;
  constructor(api: Api) {
    this.#api = api;
    this.checkouts = new TestHelpersCheckoutsResource(api);
  }
  /**
   * Review a test submission. Test mode has no human reviewer: this approves or rejects an offering, an experience or a boat.
   * Scope: `offerings:write`.
   * `POST /v1/test_helpers/review`
   */
  review(body: ReviewDecision, options?: RequestOptions): ApiPromise<StoredOffering | Submission | StoredBoat> {
    return this.#api.send({ method: 'POST', path: '/v1/test_helpers/review', body, isWrapped: true }, options);
  }
}

export class Resources {
  readonly me: MeResource;
  readonly offerings: OfferingsResource;
  readonly experiences: ExperiencesResource;
  readonly boats: BoatsResource;
  readonly checkouts: CheckoutsResource;
  readonly payouts: PayoutsResource;
  readonly webhookEndpoints: WebhookEndpointsResource;
  readonly events: EventsResource;
  readonly integrations: IntegrationsResource;
  readonly hooks: HooksResource;
  readonly analytics: AnalyticsResource;
  readonly guests: GuestsResource;
  readonly tools: ToolsResource;
  readonly testHelpers: TestHelpersResource;
  constructor(api: Api) {
    this.me = new MeResource(api);
    this.offerings = new OfferingsResource(api);
    this.experiences = new ExperiencesResource(api);
    this.boats = new BoatsResource(api);
    this.checkouts = new CheckoutsResource(api);
    this.payouts = new PayoutsResource(api);
    this.webhookEndpoints = new WebhookEndpointsResource(api);
    this.events = new EventsResource(api);
    this.integrations = new IntegrationsResource(api);
    this.hooks = new HooksResource(api);
    this.analytics = new AnalyticsResource(api);
    this.guests = new GuestsResource(api);
    this.tools = new ToolsResource(api);
    this.testHelpers = new TestHelpersResource(api);
  }
}
