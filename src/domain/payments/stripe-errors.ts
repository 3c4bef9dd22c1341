// What an error of the card processor's SDK means to us: trouble (whether the work was done is not known, ask again with
// the same key) or a refusal (a definitive no). In doubt it is trouble: money is never declared lost, nor a share refused,
// because a network or a key was bad. The SDK's error itself is left behind, for it carries whole payment intents with
// their client secrets; what an operator needs of it is in the message. It does not decide what to do next.

import Stripe from 'stripe';
import { ProcessorRefusal, ProcessorUnavailable } from './processor.ts';

type SdkError = InstanceType<typeof Stripe.errors.StripeError>;

/** Does the work, and says in our own words how it failed. */
export async function callStripe<T>(call: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof Stripe.errors.StripeError ? toProcessorError(call, error) : error;
  }
}

/** The bank's own word where there is one: `insufficient_funds` says more than `card_declined`. */
export function errorCodeOf(said: {
  readonly decline_code?: string | null;
  readonly code?: string | null;
}): string | null {
  // The SDK fills in an empty decline code where the processor gave none.
  return said.decline_code || said.code || null;
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
    const words = `${call}: ${withoutSecrets(error.message)}${details(error)}`;
    return new ProcessorRefusal(code, words, error instanceof errors.StripeCardError);
  }
  const kind =
    error instanceof errors.StripeRateLimitError ? 'the card processor is too busy' : 'the card processor failed';
  return new ProcessorUnavailable(`${call}: ${kind}${details(error)}`, {
    isTemporary: error instanceof errors.StripeCardError,
  });
}

/** Only these classes are a no; every other one, and every one that a later SDK adds, leaves it open. */
function isDefinitive(error: SdkError): boolean {
  const { errors } = Stripe;
  // The card's network stumbled, which is no word about the card.
  if (error.code === 'processing_error' || error.decline_code === 'processing_error') return false;
  if (error instanceof errors.StripeCardError) return true;
  // Not the idempotency error: what was first sent under the key may well have been done.
  return error instanceof errors.StripeInvalidRequestError;
}

function details(error: SdkError): string {
  // A replayed failure comes again for as long as the key is kept (a day or more): whoever waits should know.
  const replayed = error.headers?.['idempotent-replayed'] === 'true' ? 'replayed for this key' : undefined;
  return inParentheses([error.statusCode, errorCodeOf(error), error.requestId, replayed]);
}

function inParentheses(services: readonly (string | number | null | undefined)[]): string {
  const known = services.filter((part) => part !== null && part !== undefined && part !== '');
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
