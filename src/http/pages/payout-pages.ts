// The two addresses of a venue's onboarding at the card processor. `/payouts/<token>`: where a stale link leads; makes a
// new link and redirects there. `/payouts/<token>/done`: where the venue comes back; asks the processor for the account's
// state, because coming back proves nothing, and says what is still due. Both redirect and link only to addresses that the
// processor or the operator has given.

import type { FastifyInstance, FastifyReply } from 'fastify';
import { notFound } from '../../base/errors.ts';
import type { Translator } from '../../base/translations.ts';
import { type Onboarding, onboardingUrls, openOnboarding } from '../../domain/payments/onboarding-token.ts';
import { onboardingLink } from '../../domain/payments/payout-account.ts';
import { findPayoutAccount, type PayoutAccount } from '../../domain/payments/payout-account-queries.ts';
import { ProcessorRefusal } from '../../domain/payments/processor.ts';
import { refreshPayoutAccount } from '../../domain/payments/refresh-payout-accounts.ts';
import { requirementKinds } from '../../domain/payments/requirement-kinds.ts';
import { audit } from '../../domain/venues/audit.ts';
import { findVenue } from '../../domain/venues/queries.ts';
import { commandContext } from '../../run/context.ts';
import type { HttpContext } from '../context.ts';
import { type Html, html } from './html.ts';
import { type PageContent, sendPage, setSecurityHeaders } from './layout.ts';
import type { PageRequest } from './page-request.ts';
import { countCall, handlePage } from './pages.ts';

export function registerPayoutPages(app: FastifyInstance, http: HttpContext): void {
  app.get('/payouts/:token', (request, reply) => handlePage(http, request, reply, 'page.payouts', renewLink));
  app.get('/payouts/:token/done', (request, reply) => handlePage(http, request, reply, 'page.payouts_done', showState));
}

interface OpenOnboarding extends Onboarding {
  readonly token: string;
  readonly venueName: string;
  readonly account: PayoutAccount;
  readonly isExpired: boolean;
}

/** Throws 404 for a token that is not ours, and for a venue without an account. */
async function requireOnboarding({ http, request }: PageRequest): Promise<OpenOnboarding> {
  const { db, seal, clock } = http.app;
  const { token } = request.params as { readonly token: string };
  const onboarding = openOnboarding(seal, token);
  if (onboarding === null) throw notFound();
  const { venueId, mode, expiresAt } = onboarding;
  const venue = await findVenue(db, venueId);
  const account = await findPayoutAccount(db, venueId, mode);
  if (venue === null || venue.revoked_at !== null || account === null) throw notFound();
  return { ...onboarding, token, venueName: venue.name, account, isExpired: expiresAt <= clock.now() };
}

/**
 * A venue that can be paid gets no new link: an address that stayed in a mailbox must not lead to the form in which the
 * venue's bank account is changed.
 */
async function renewLink(page: PageRequest): Promise<FastifyReply> {
  await countCall(page, 'forms');
  const { http, request } = page;
  const onboarding = await requireOnboarding(page);
  const { venueId, mode, token } = onboarding;
  if (onboarding.isExpired) return sendPage(page, expiredPage(page.translator, onboarding));
  const urls = onboardingUrls(http.urls().base, token);
  if (onboarding.account.transfersStatus === 'active') return redirect(page, urls.returnUrl);
  let link: { readonly accountId: string; readonly url: string };
  try {
    link = await onboardingLink(http.app.services, venueId, mode, { contact: null, ...urls });
  } catch (error) {
    // The processor gives this account no form, for example because it was closed: the other page says its state.
    if (error instanceof ProcessorRefusal) return redirect(page, urls.returnUrl);
    throw error;
  }
  const { accountId, url } = link;
  const actor = { name: 'venue onboarding', via: 'http', address: request.ip, requestId: request.id } as const;
  const command = commandContext(http.app, actor);
  await http.app.db.transaction((tx) =>
    audit(tx, command, { venueId, action: 'payout.onboard', subject: accountId, detail: { mode, renewed: true } }),
  );
  return redirect(page, url);
}

function redirect({ reply }: PageRequest, url: string): FastifyReply {
  return setSecurityHeaders(reply).redirect(url, 303);
}

async function showState(page: PageRequest): Promise<FastifyReply> {
  await countCall(page, 'looks');
  const onboarding = await requireOnboarding(page);
  if (onboarding.isExpired) return sendPage(page, expiredPage(page.translator, onboarding));
  const { venueId, mode } = onboarding;
  const account = await refreshPayoutAccount(page.http.app.services, venueId, mode);
  const state = stateOf(account);
  const { translator } = page;
  const title = translator.translate(`page.payouts_${state}_title`);
  const isDue = state === 'due' && account !== null;
  return sendPage(page, {
    title: `${onboarding.venueName}: ${title}`,
    path: page.member === null ? `/payouts/${onboarding.token}/done` : null,
    mode,
    main: html`<div class="title"><h1>${title}</h1>
<p class="lead">${translator.translate(`page.payouts_${state}_text`, { venue: onboarding.venueName })}</p>
${isDue && dueList(translator, account.requirementsDue)}${
  state === 'due' &&
  html`<p><a class="button" href="/payouts/${onboarding.token}">${translator.translate('page.payouts_go_on')}</a></p>
`
}${backLink(translator, onboarding)}</div>`,
  });
}

type State = 'active' | 'pending' | 'due' | 'refused' | 'unknown';

/** `unknown`: the processor has not answered. */
function stateOf(account: PayoutAccount | null): State {
  switch (account?.transfersStatus) {
    case 'active':
    case 'pending':
      return account.transfersStatus;
    case 'restricted':
      return 'due';
    case 'rejected':
    case 'unsupported':
      return 'refused';
    default:
      return 'unknown';
  }
}

function dueList(translator: Translator, requirements: readonly string[]): Html {
  const kinds = requirementKinds(requirements);
  return html`<ul class="bullets">${kinds.map((kind) => html`<li>${translator.translate(`page.payouts_needs_${kind}`)}</li>`)}</ul>
`;
}

function backLink(translator: Translator, { returnUrl, venueName }: OpenOnboarding): Html | false {
  if (returnUrl === null) return false;
  return html`<p><a href="${returnUrl}">${translator.translate('page.payouts_back', { venue: venueName })}</a></p>`;
}

function expiredPage(translator: Translator, { venueName, mode }: OpenOnboarding): PageContent {
  const title = translator.translate('page.payouts_expired_title');
  return {
    status: 410,
    title: `${venueName}: ${title}`,
    path: null,
    mode,
    main: html`<div class="title"><h1>${title}</h1>
<p class="lead">${translator.translate('page.payouts_expired_text')}</p></div>`,
  };
}
