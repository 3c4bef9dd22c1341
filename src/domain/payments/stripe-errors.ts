// Converts errors of the processor's SDK: to ProcessorUnavailable (the outcome is unknown, repeat the call) or
// ProcessorRefusal (final). In doubt it is ProcessorUnavailable: a bad network or key must not fail a
// share or a movement. The SDK's error is not kept as the cause, because it carries payment intents with client
// secrets; the message has what an operator needs.

import Stripe from 'stripe';
import { ProcessorRefusal, ProcessorUnavailable, type Unavailability } from './processor.ts';

type SdkError = InstanceType<typeof Stripe.errors.StripeError>;

/** Runs the SDK call and converts its errors. `call` begins the message. */
export async function callStripe<T>(call: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof Stripe.errors.StripeError ? toProcessorError(call, error) : error;
  }
}

/** For objects that are never deleted: "not found" means a wrong account or key, so it is no refusal. */
export async function requireAnswer<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    throw error instanceof ProcessorRefusal ? new ProcessorUnavailable(error.message) : error;
  }
}

/** The refusal has no code of its own. It says: "This account is not eligible for the requested card features." */
export function isExtensionRefusal(error: unknown): boolean {
  return error instanceof ProcessorRefusal && error.message.includes('not eligible for the requested card features');
}

/** The issuer's code if there is one: `insufficient_funds` is more precise than `card_declined`. */
export function errorCodeOf(error: {
  readonly decline_code?: string | null;
  readonly code?: string | null;
}): string | null {
  // The SDK fills in an empty decline code where the processor gave none.
  return error.decline_code || error.code || null;
}

function toProcessorError(call: string, error: SdkError): Error {
  const { errors } = Stripe;
  if (error instanceof errors.StripeConnectionError) {
    return new ProcessorUnavailable(`${call}: no answer from the card processor${inParentheses([networkCode(error)])}`);
  }
  if (error instanceof errors.StripeAuthenticationError || error instanceof errors.StripePermissionError) {
    return new ProcessorUnavailable(
      `${call}: the card processor refuses our secret key; check its setting${details(error)}`,
    );
  }
  if (isDefinitive(error)) {
    const code = errorCodeOf(error) ?? error.rawType ?? 'refused';
    const message = `${call}: ${withoutSecrets(error.message)}${details(error)}`;
    return new ProcessorRefusal(code, message, error instanceof errors.StripeCardError);
  }
  const kind =
    error instanceof errors.StripeRateLimitError ? 'the card processor is too busy' : 'the card processor failed';
  return new ProcessorUnavailable(`${call}: ${kind}${details(error)}`, { kind: unavailabilityOf(error) });
}

function unavailabilityOf(error: SdkError): Unavailability {
  if (error instanceof Stripe.errors.StripeCardError) return 'network_failed';
  // The key belongs to a call with other parameters (a venue was renamed meanwhile): it never works again.
  if (error instanceof Stripe.errors.StripeIdempotencyError && error.statusCode === 400) return 'processor_failed';
  return (error.statusCode ?? 0) >= 500 ? 'processor_failed' : 'no_answer';
}

/** Only these classes are final. Every other class, also one that a later SDK adds, leaves the outcome unknown. */
function isDefinitive(error: SdkError): boolean {
  const { errors } = Stripe;
  // The card network failed; the issuer has not declined the card.
  if (error.code === 'processing_error' || error.decline_code === 'processing_error') return false;
  if (error instanceof errors.StripeCardError) return true;
  // An idempotency error is not final: the first request with the key may have succeeded.
  return error instanceof errors.StripeInvalidRequestError;
}

function details(error: SdkError): string {
  // The processor replays a failure while it stores the key (a day or more): the log should show that.
  const replayed = error.headers?.['idempotent-replayed'] === 'true' ? 'replayed for this key' : undefined;
  return inParentheses([error.statusCode, errorCodeOf(error), error.requestId, replayed]);
}

function inParentheses(parts: readonly (string | number | null | undefined)[]): string {
  const known = parts.filter((part) => part !== null && part !== undefined && part !== '');
  return known.length === 0 ? '' : ` (${known.join(', ')})`;
}

function networkCode(error: SdkError): string | null {
  const { detail } = error;
  if (typeof detail !== 'object' || !('code' in detail)) return null;
  return typeof detail.code === 'string' ? detail.code : null;
}

function withoutSecrets(message: string): string {
  return message.replace(/\b(?:sk|rk|whsec)_[\w*]+|\b[a-z]+_[A-Za-z0-9]+_secret_\w+/g, '…');
}
