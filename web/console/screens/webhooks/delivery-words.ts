// Deliveries in words: their state, why an attempt failed, and whether an endpoint accepts events.

import type { Delivery } from '../../../../sdk/src/types.gen.ts';

/** A waiting delivery that has failed before is retrying. */
export const stateOf = ({ status, attempts }: Pick<Delivery, 'status' | 'attempts'>): string =>
  status === 'pending' && attempts > 0 ? 'retrying' : status;

const REASONS: Readonly<Record<string, string>> = {
  redirect: 'your server redirected, which is not followed',
  timeout: 'your server did not answer in time',
  connect: 'no connection to your server',
  tls: 'the certificate of your server was not accepted',
  protocol: 'the answer was no HTTP',
  interrupted: 'the attempt was interrupted on our side',
  no_public_address: 'the address has no public network address',
  endpoint_disabled: 'the endpoint was disabled',
  expired: 'not delivered within 72 hours',
};

/** Why an attempt failed: `your server answered 503`. */
export function reasonOf(status: number | null, error: string | null): string {
  const known = error === null ? undefined : REASONS[error];
  if (known !== undefined) return known;
  return status === null ? (error ?? 'no answer') : `your server answered ${status}`;
}

export const DISABLED_REASONS: Readonly<Record<string, string>> = {
  requested: 'It was disabled by hand.',
  failed_for_72_hours: 'Every delivery failed for 72 hours.',
};

export const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : url);
