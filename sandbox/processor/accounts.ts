// Connected accounts with the recipient configuration, as API v2 has them: created, onboarded, restricted. An account
// can receive transfers while its transfers capability is `active`; until its onboarding is finished it is `restricted`,
// and its requirements say what is due.

import { invalidRequest } from './api-error.ts';
import type { Params } from './form-params.ts';
import type { RenderContext, StripeObject } from './payment-objects.ts';
import type { AccountLinkRow, AccountRow, TransfersStatus } from './row-types.ts';
import type { Transaction } from './transaction.ts';

const ACCOUNT_LINK_SECONDS = 300;
const MAX_LINKS_KEPT = 10;
/** What the onboarding form asks for. */
const ONBOARDING_REQUIREMENTS = ['business_details.url', 'default_outbound_destination', 'terms_of_service.account'];
/** What is due when an onboarded account is restricted. */
const VERIFICATION_REQUIREMENTS = ['individual.verification.document'];

export const ACCOUNT_INCLUDES = [
  'configuration.customer',
  'configuration.merchant',
  'configuration.recipient',
  'defaults',
  'future_requirements',
  'identity',
  'requirements',
] as const;

/**
 * A guess, because harsher is safer: Stripe's reference has said that the e-mail address is required for a recipient,
 * and its present types do not say so. The country is required here for the same reason.
 */
export function createAccount(tx: Transaction, params: Params): StripeObject {
  const recipient = requireGroup(requireGroup(params, 'configuration', ['recipient']), 'recipient', ['capabilities']);
  const capabilities = requireGroup(recipient, 'capabilities', ['stripe_balance']);
  const balance = requireGroup(capabilities, 'stripe_balance', ['stripe_transfers']);
  const transfers = requireGroup(balance, 'stripe_transfers', ['requested']);
  if (transfers.flag('requested') !== true) throw invalidRequest('Invalid value', transfers.nameOf('requested'));
  const responsibilities = params.group('defaults')?.group('responsibilities');
  if (responsibilities) {
    responsibilities.oneOf('fees_collector', ['application', 'stripe']);
    responsibilities.oneOf('losses_collector', ['application', 'stripe']);
  }
  const include = readIncludes(params);
  const account = tx.put('accounts', {
    id: tx.newId('acct'),
    created: tx.now,
    type: params.oneOf('dashboard', ['express', 'full', 'none']) ?? 'none',
    country: readCountry(requireGroup(params, 'identity', ['country', 'entity_type'])),
    email: params.requireText('contact_email'),
    businessName: params.text('display_name'),
    metadata: params.metadata(),
    onboarded: false,
  });
  return toV2Account(tx, account, include);
}

const COUNTRIES = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });

/** Stripe refuses what is no country. */
function readCountry(identity: Params): string {
  const country = identity.requireText('country').toUpperCase();
  if (/^[A-Z]{2}$/.test(country) && COUNTRIES.of(country) !== undefined) return country;
  throw invalidRequest(`Country '${country}' is unknown.`, identity.nameOf('country'));
}

function requireGroup(params: Params, name: string, known: readonly string[]): Params {
  const group = params.group(name);
  if (group === null) throw invalidRequest(`Missing required field: ${params.nameOf(name)}.`, params.nameOf(name));
  group.rejectUnknown(new Set(known));
  return group;
}

export function retrieveAccount(tx: Transaction, id: string, params: Params): StripeObject {
  const include = readIncludes(params);
  return toV2Account(tx, tx.require('accounts', id, 'account'), include);
}

function readIncludes(params: Params): readonly string[] {
  const include = params.list('include');
  const unknown = include.find((name) => !(ACCOUNT_INCLUDES as readonly string[]).includes(name));
  if (unknown !== undefined) throw invalidRequest(`Invalid include: ${unknown}`, 'include');
  return include;
}

/** The venue has finished its onboarding form; `tx` records the events of what has changed. */
export function completeOnboarding(tx: Transaction, account: AccountRow): AccountRow {
  return putChanged(tx, account, { onboarded: true });
}

/** As Stripe would after a review: `active` finishes what is open, the others take the capability away. */
export function setTransfersStatus(tx: Transaction, id: string, status: TransfersStatus): StripeObject {
  const account = tx.require('accounts', id, 'account');
  const changed = putChanged(tx, account, status === 'active' ? { onboarded: true } : { transfers: status });
  return toV2Account(tx, changed, ['configuration.recipient', 'requirements']);
}

function putChanged(
  tx: Transaction,
  { transfers: _former, ...account }: AccountRow,
  change: Partial<AccountRow>,
): AccountRow {
  const before = tx.require('accounts', account.id);
  const after = tx.put('accounts', { ...account, ...change });
  if (transfersStatusOf(before) === transfersStatusOf(after)) return after;
  // A guess: that an account made with API v2 causes the event of API v1 too.
  tx.recordConnectEvent('account.updated', after.id, toAccount(tx, after));
  tx.recordThinEvent('v2.core.account[configuration.recipient].capability_status_updated', after.id);
  tx.recordThinEvent('v2.core.account[requirements].updated', after.id);
  return after;
}

export function transfersStatusOf({ onboarded, transfers }: AccountRow): TransfersStatus {
  return transfers ?? (onboarded ? 'active' : 'restricted');
}

/** A link works once: from its first opening on, opening it again leads to its refresh URL. */
export function createAccountLink(tx: Transaction, params: Params): StripeObject {
  const account = tx.require('accounts', params.requireText('account'), 'account');
  const useCase = requireGroup(params, 'use_case', ['type', 'account_onboarding']);
  if (useCase.oneOf('type', ['account_onboarding']) === null) useCase.requireText('type');
  const onboarding = requireGroup(useCase, 'account_onboarding', [
    'configurations',
    'collection_options',
    'refresh_url',
    'return_url',
  ]);
  const refreshUrl = requireUrl(onboarding, 'refresh_url');
  const returnUrl = onboarding.has('return_url') ? requireUrl(onboarding, 'return_url') : null;
  const link = { token: tx.newToken(), form: null, refreshUrl, returnUrl, until: tx.now + ACCOUNT_LINK_SECONDS };
  tx.put('accounts', { ...account, links: [link, ...(account.links ?? [])].slice(0, MAX_LINKS_KEPT) });
  return {
    object: 'v2.core.account_link',
    account: account.id,
    created: timestamp(tx.now),
    expires_at: timestamp(link.until),
    livemode: tx.mode === 'live',
    url: `${tx.publicBase}/onboarding/${account.id}?token=${link.token}`,
    use_case: {
      type: 'account_onboarding',
      account_onboarding: { refresh_url: refreshUrl, ...(returnUrl === null ? {} : { return_url: returnUrl }) },
    },
  };
}

function requireUrl(params: Params, name: string): string {
  const text = params.requireText(name);
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol)) {
    throw invalidRequest('Not a valid URL', params.nameOf(name), 'url_invalid');
  }
  return text;
}

/** Uses up the link: `form` is the token of the page that was opened with it. */
export function openLink(tx: Transaction, account: AccountRow, link: AccountLinkRow): string {
  const form = tx.newToken();
  const links = (account.links ?? []).map((one) => (one.token === link.token ? { ...one, form } : one));
  tx.put('accounts', { ...account, links });
  return form;
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

const timestamp = (seconds: number): string => new Date(seconds * 1000).toISOString();

/** Fields that are not included are absent, as the SDK's types say. */
export function toV2Account(context: RenderContext, row: AccountRow, include: readonly string[]): StripeObject {
  return {
    id: row.id,
    object: 'v2.core.account',
    applied_configurations: ['recipient'],
    ...(include.includes('configuration.recipient') ? { configuration: { recipient: toRecipient(row) } } : {}),
    ...(row.email === null ? {} : { contact_email: row.email }),
    created: timestamp(row.created),
    dashboard: row.type,
    ...(include.includes('defaults') ? { defaults: { responsibilities: RESPONSIBILITIES } } : {}),
    ...(row.businessName === null ? {} : { display_name: row.businessName }),
    ...(include.includes('identity') ? { identity: { country: row.country } } : {}),
    livemode: context.mode === 'live',
    metadata: row.metadata,
    ...(include.includes('requirements') ? { requirements: toRequirements(row) } : {}),
  };
}

const RESPONSIBILITIES = {
  fees_collector: 'application',
  losses_collector: 'application',
  requirements_collector: 'stripe',
};

function toRecipient(row: AccountRow): StripeObject {
  const status = transfersStatusOf(row);
  const details = {
    active: [],
    pending: [{ code: 'requirements_pending_verification', resolution: 'no_resolution' }],
    restricted: [{ code: 'requirements_past_due', resolution: 'provide_info' }],
    rejected: [{ code: 'rejected_other', resolution: 'contact_stripe' }],
  }[status];
  return {
    applied: true,
    capabilities: { stripe_balance: { stripe_transfers: { status, status_details: details } } },
  };
}

/** What the onboarding form, or the review after it, still asks for. */
function dueOf(row: AccountRow): readonly string[] {
  if (transfersStatusOf(row) === 'active') return [];
  return row.onboarded ? VERIFICATION_REQUIREMENTS : ONBOARDING_REQUIREMENTS;
}

function toRequirements(row: AccountRow): StripeObject {
  const status = transfersStatusOf(row);
  const entries = dueOf(row).map((description) => ({
    awaiting_action_from: status === 'restricted' ? 'user' : 'stripe',
    description,
    errors: [],
    impact: {
      restricts_capabilities: [
        {
          capability: 'stripe_balance.stripe_transfers',
          configuration: 'recipient',
          deadline: { status: 'past_due' },
        },
      ],
    },
    minimum_deadline: { status: 'past_due' },
    requested_reasons: [{ code: row.onboarded ? 'routine_verification' : 'routine_onboarding' }],
  }));
  return { entries, ...(entries.length === 0 ? {} : { summary: { minimum_deadline: { status: 'past_due' } } }) };
}

/** The same account as API v1 shows it. */
export function toAccount(_context: RenderContext, row: AccountRow): StripeObject {
  const isActive = transfersStatusOf(row) === 'active';
  const due = dueOf(row);
  const requirements = {
    alternatives: [],
    current_deadline: null,
    currently_due: due,
    disabled_reason: isActive ? null : 'requirements.past_due',
    errors: [],
    eventually_due: due,
    past_due: due,
    pending_verification: [],
  };
  const none = { currently_due: [], eventually_due: [], past_due: [], disabled_reason: null };
  return {
    id: row.id,
    object: 'account',
    business_profile: { ...NO_PROFILE, name: row.businessName },
    business_type: null,
    capabilities: { transfers: isActive ? 'active' : 'inactive' },
    charges_enabled: false,
    controller: { type: 'application', is_controller: true, stripe_dashboard: { type: row.type } },
    country: row.country,
    created: row.created,
    default_currency: 'usd',
    details_submitted: row.onboarded,
    email: row.email,
    external_accounts: { object: 'list', data: [], has_more: false, url: `/v1/accounts/${row.id}/external_accounts` },
    future_requirements: { ...requirements, ...none },
    metadata: row.metadata,
    payouts_enabled: isActive,
    requirements,
    settings: null,
    tos_acceptance: { date: row.onboarded ? row.created : null },
    type: row.type,
  };
}
