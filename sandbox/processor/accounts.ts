// Connected accounts: created, updated and onboarded. An account can receive transfers once it is onboarded, by its
// onboarding page or by `metadata.onboarded=true`.

import { invalidRequest } from './api-error.ts';
import type { Params } from './form-params.ts';
import type { RenderContext, StripeObject } from './payment-objects.ts';
import type { AccountRow } from './row-types.ts';
import type { Transaction } from './transaction.ts';

export function createAccount(tx: Transaction, params: Params): StripeObject {
  const metadata = params.metadata();
  const dashboard = params.group('controller')?.group('stripe_dashboard')?.text('type') ?? null;
  const account = tx.put('accounts', {
    id: tx.newId('acct'),
    created: tx.now,
    type: params.oneOf('type', ['express', 'standard', 'custom']) ?? dashboard ?? 'none',
    country: params.text('country') ?? 'US',
    email: params.text('email'),
    businessName: params.group('business_profile')?.text('name') ?? null,
    metadata,
    onboarded: metadata.onboarded === 'true',
    link: null,
  });
  return toAccount(tx, account);
}

export function updateAccount(tx: Transaction, id: string, params: Params): StripeObject {
  const account = tx.require('accounts', id, 'account');
  const metadata = params.metadata(account.metadata);
  const updated = tx.put('accounts', {
    ...account,
    metadata,
    email: params.text('email') ?? account.email,
    businessName: params.group('business_profile')?.text('name') ?? account.businessName,
    onboarded: account.onboarded || metadata.onboarded === 'true',
  });
  if (updated.onboarded !== account.onboarded) tx.recordEvent('account.updated', toAccount(tx, updated));
  return toAccount(tx, updated);
}

export function completeOnboarding(tx: Transaction, account: AccountRow): AccountRow {
  const onboarded = tx.put('accounts', { ...account, onboarded: true, link: null });
  if (!account.onboarded) tx.recordEvent('account.updated', toAccount(tx, onboarded));
  return onboarded;
}

const ACCOUNT_LINK_SECONDS = 300;

function requireUrl(params: Params, name: string): string {
  const text = params.requireText(name);
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol)) {
    throw invalidRequest('Not a valid URL', name, 'url_invalid');
  }
  return text;
}

export function createAccountLink(tx: Transaction, params: Params): StripeObject {
  const account = tx.require('accounts', params.requireText('account'), 'account');
  if (params.oneOf('type', ['account_onboarding', 'account_update']) === null) params.requireText('type');
  requireUrl(params, 'refresh_url');
  const token = tx.newToken();
  const expiresAt = tx.now + ACCOUNT_LINK_SECONDS;
  tx.put('accounts', { ...account, link: { token, returnUrl: requireUrl(params, 'return_url'), until: expiresAt } });
  const url = `${tx.publicBase}/onboarding/${account.id}?token=${token}`;
  return { object: 'account_link', created: tx.now, expires_at: expiresAt, url };
}

const NO_PROFILE = {
  mcc: null,
  minority_owned_business_designation: null,
  specified_commercial_transactions_act_url: null,
  support_address: null,
  support_email: null,
  support_phone: null,
  support_url: null,
  url: null,
};

export function toAccount(_context: RenderContext, row: AccountRow): StripeObject {
  const due = row.onboarded ? [] : ['business_profile.url', 'external_account', 'tos_acceptance.date'];
  const status = row.onboarded ? 'active' : 'inactive';
  const requirements = {
    alternatives: [],
    current_deadline: null,
    currently_due: due,
    disabled_reason: row.onboarded ? null : 'requirements.past_due',
    errors: [],
    eventually_due: due,
    past_due: due,
    pending_verification: [],
  };
  return {
    id: row.id,
    object: 'account',
    business_profile: { ...NO_PROFILE, name: row.businessName },
    business_type: null,
    capabilities: { card_payments: status, transfers: status },
    charges_enabled: row.onboarded,
    controller: { type: 'application', is_controller: true, stripe_dashboard: { type: row.type } },
    country: row.country,
    created: row.created,
    default_currency: 'usd',
    details_submitted: row.onboarded,
    email: row.email,
    external_accounts: { object: 'list', data: [], has_more: false, url: `/v1/accounts/${row.id}/external_accounts` },
    future_requirements: {
      ...requirements,
      currently_due: [],
      eventually_due: [],
      past_due: [],
      disabled_reason: null,
    },
    metadata: row.metadata,
    payouts_enabled: row.onboarded,
    requirements,
    settings: null,
    tos_acceptance: { date: row.onboarded ? row.created : null },
    type: row.type,
  };
}
