// Payment method domains: the domains whose pages may show wallets. A domain is registered once; Stripe answers with the
// registered one when it is registered again. Apple Pay is inactive until the domain is validated; a domain whose name
// begins with `unverified.` never is.

import { invalidRequest } from './api-error.ts';
import type { Params } from './form-params.ts';
import type { RenderContext, StripeObject } from './payment-objects.ts';
import type { DomainRow } from './row-types.ts';
import type { Transaction } from './transaction.ts';

export function createDomain(tx: Transaction, params: Params): StripeObject {
  const name = params.requireText('domain_name').toLowerCase();
  if (!/^[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(name)) throw invalidRequest(`Invalid domain: ${name}`, 'domain_name');
  const { domains } = tx.changes.committed;
  const existing = [...domains.oldestFirst()].find((row) => row.name === name);
  const row = existing ?? {
    id: tx.newId('pmd'),
    created: tx.now,
    name,
    enabled: params.flag('enabled') ?? true,
    isVerified: false,
  };
  return toDomain(tx, tx.put('domains', row));
}

export function updateDomain(tx: Transaction, id: string, params: Params): StripeObject {
  const row = tx.require('domains', id);
  return toDomain(tx, tx.put('domains', { ...row, enabled: params.flag('enabled') ?? row.enabled }));
}

export function validateDomain(tx: Transaction, id: string): StripeObject {
  const row = tx.require('domains', id);
  return toDomain(tx, tx.put('domains', { ...row, isVerified: !row.name.startsWith('unverified.') }));
}

/** That Stripe looks for the proof only when it is asked to, and this message, are guesses. */
const UNVERIFIED = {
  status: 'inactive',
  status_details: { error_message: 'The domain association file was not found on the domain.' },
};

export function toDomain(context: RenderContext, row: DomainRow): StripeObject {
  const wallet = { status: row.enabled ? 'active' : 'inactive' };
  return {
    id: row.id,
    object: 'payment_method_domain',
    amazon_pay: wallet,
    apple_pay: row.enabled && row.isVerified === false ? UNVERIFIED : wallet,
    created: row.created,
    domain_name: row.name,
    enabled: row.enabled,
    google_pay: wallet,
    klarna: wallet,
    link: wallet,
    livemode: context.mode === 'live',
    paypal: wallet,
  };
}
