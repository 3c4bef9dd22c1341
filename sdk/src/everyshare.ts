// The package's entry: the client, its errors, the verification of deliveries, and every type of the API.

import { Api, type ClientOptions } from './api.ts';
import { Resources } from './resources.gen.ts';
import { type Webhooks, webhooks } from './webhooks.ts';

/** The client. One instance is enough for a program: it keeps no state but its options. */
export class Everyshare extends Resources {
  /** Needs no client: `import { webhooks } from '@everyshare/sdk'` is the same. */
  static readonly webhooks: Webhooks = webhooks;
  readonly webhooks: Webhooks = webhooks;

  constructor(options: ClientOptions) {
    super(new Api(options));
  }
}

export type { ClientOptions, Fetch, RawBody, RequestOptions } from './api.ts';
export type { ApiPromise, RateLimit, WithResponse } from './api-promise.ts';
export {
  ApiError,
  AuthenticationError,
  ConflictError,
  ConnectionError,
  EveryshareError,
  type FieldProblem,
  InvalidRequestError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  ServerError,
  TimeoutError,
} from './errors.ts';
export type { EventStream, StreamMessage, StreamOptions } from './event-stream.ts';
export type {
  CheckoutEvent,
  OfferingEvent,
  RefundEvent,
  SubscribableEventType,
  WebhookEndpointEvent,
  WebhookEvent,
} from './events.ts';
export type { Page, PageAnswer, PagePromise } from './page.ts';
export type * from './resources.gen.ts';
export type * from './types.gen.ts';
export {
  type SignatureHeaders,
  type SignatureProblem,
  SignatureVerificationError,
  type TestHeaderOptions,
  type VerifyOptions,
  type Webhooks,
  webhooks,
} from './webhooks.ts';
