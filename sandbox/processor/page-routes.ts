// Routes of the processor's HTML pages and of their forms: test cards, 3-D Secure, onboarding. A page that changes
// something needs the random token of its link, and works until its form was submitted; then it answers 404.

import { completeOnboarding, openLink } from './accounts.ts';
import { Params, parseForm } from './form-params.ts';
import { completeChallenge } from './holds.ts';
import type { ApiResponse } from './messages.ts';
import {
  cardsJson,
  cardsPage,
  challengeDonePage,
  challengePage,
  notFoundPage,
  onboardingDonePage,
  onboardingPage,
  PAGE_STYLE,
} from './pages.ts';
import type { AccountLinkRow, Mode } from './row-types.ts';
import type { Transaction } from './transaction.ts';

export interface PageRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly body: string;
  /** Runs `task` in a transaction of this mode and commits it. */
  transact<T>(mode: Mode, task: (tx: Transaction) => T): T;
}

function html(status: number, body: string, returnUrl: string | null = null): ApiResponse {
  // Browsers apply form-action to the redirect after a submit too, so the policy names the return URL's origin.
  const back = returnUrl === null ? '' : ` ${new URL(returnUrl).origin}`;
  return {
    status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'content-security-policy': `default-src 'none'; style-src 'self'; form-action 'self'${back}; frame-ancestors 'self'; base-uri 'none'`,
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    },
    body,
  };
}

const redirect = (to: string): ApiResponse => ({
  status: 303,
  headers: { location: to, 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' },
  body: '',
});

/** Null: the processor has no such page. */
export function servePage(request: PageRequest): ApiResponse | null {
  const { method, path } = request;
  const isRead = method === 'GET' || method === 'HEAD';
  if (isRead && path === '/3ds/style.css') {
    const headers = { 'content-type': 'text/css; charset=utf-8', 'cache-control': 'public, max-age=300' };
    return { status: 200, headers: { ...headers, 'x-content-type-options': 'nosniff' }, body: PAGE_STYLE };
  }
  if (isRead && path === '/cards') return html(200, cardsPage());
  if (isRead && path === '/cards.json') {
    return { status: 200, headers: { 'content-type': 'application/json' }, body: cardsJson() };
  }
  const [, page, id, ...rest] = path.split('/');
  if (id === undefined || rest.length > 0 || !(isRead || method === 'POST')) return null;
  const params = new Params(parseForm(isRead ? request.query : request.body));
  if (page === '3ds') return serveChallenge(request, isRead, id, params);
  if (page === 'onboarding') return serveOnboarding(request, isRead, id, params);
  return null;
}

function serveChallenge(request: PageRequest, isRead: boolean, id: string, params: Params): ApiResponse {
  const token = params.text('token') ?? '';
  for (const mode of ['test', 'live'] as const) {
    const response = request.transact(mode, (tx) => {
      const intent = tx.find('intents', id);
      if (intent === undefined || intent.challenge === null || intent.challenge !== token) return null;
      if (isRead) return html(200, challengePage(intent, token), intent.returnUrl);
      const isApproved = params.oneOf('answer', ['approve', 'fail']) === 'approve';
      const { status, secret, returnUrl } = completeChallenge(tx, intent, isApproved);
      const hasSucceeded = status === 'requires_capture' || status === 'succeeded';
      if (returnUrl === null) return html(200, challengeDonePage(hasSucceeded));
      const back = new URL(returnUrl);
      back.searchParams.set('payment_intent', id);
      back.searchParams.set('payment_intent_client_secret', secret);
      back.searchParams.set('redirect_status', hasSucceeded ? 'succeeded' : 'failed');
      return redirect(back.href);
    });
    if (response !== null) return response;
  }
  return html(404, notFoundPage('style.css'));
}

/** A link that is stale, or was opened before, leads to its refresh URL; its form is completed with the page's token. */
function serveOnboarding(request: PageRequest, isRead: boolean, id: string, params: Params): ApiResponse {
  const token = params.text('token') ?? '';
  for (const mode of ['test', 'live'] as const) {
    const response = request.transact(mode, (tx) => {
      const account = tx.find('accounts', id);
      const link = account?.links?.find((one) => (isRead ? one.token : one.form) === token);
      if (account === undefined || link === undefined || token === '') return null;
      if (!isRead) {
        completeOnboarding(tx, { ...account, links: withoutForm(account.links, token) });
        return link.returnUrl === null ? html(200, onboardingDonePage()) : redirect(link.returnUrl);
      }
      if (link.form !== null || link.until < tx.now) return redirect(link.refreshUrl);
      // HEAD shows nothing, so it does not use up the link.
      const form = request.method === 'HEAD' ? '' : openLink(tx, account, link);
      return html(200, onboardingPage(account.businessName ?? 'The venue', form), link.returnUrl);
    });
    if (response !== null) return response;
  }
  return html(404, notFoundPage('../3ds/style.css'));
}

/** The links without the page that was submitted: its form works once. */
function withoutForm(links: readonly AccountLinkRow[] = [], form: string): AccountLinkRow[] {
  return links.map((one) => (one.form === form ? { ...one, form: '' } : one));
}
