// What people see of the bank: its pages and what their buttons do. Every page that does something asks for an
// unguessable word that only the link to it has; a link that is used up leads nowhere.

import type { BankAnswer } from './answer.ts';
import { type Params, parseForm, Params as Reader } from './form.ts';
import { answerChallenge } from './holds.ts';
import { completeOnboarding } from './money.ts';
import {
  cardsJson,
  cardsPage,
  challengeDonePage,
  challengePage,
  gonePage,
  onboardingPage,
  pageStyle,
} from './pages.ts';
import type { Mode } from './rows.ts';
import type { Work } from './work.ts';

export interface Visit {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly body: string;
  /** Does a piece of work in a mode and keeps what it did. */
  work<T>(mode: Mode, task: (work: Work) => T): T;
}

function html(status: number, body: string, returnUrl: string | null = null): BankAnswer {
  // A browser holds form-action against the redirect that follows, so the place we send it back to must be named.
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

const redirect = (to: string): BankAnswer => ({
  status: 303,
  headers: { location: to, 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' },
  body: '',
});

/** Null: not a page of ours. */
export function visitFrontDesk(visit: Visit): BankAnswer | null {
  const { method, path } = visit;
  const isRead = method === 'GET' || method === 'HEAD';
  if (isRead && path === '/3ds/style.css') {
    const headers = { 'content-type': 'text/css; charset=utf-8', 'cache-control': 'public, max-age=300' };
    return { status: 200, headers: { ...headers, 'x-content-type-options': 'nosniff' }, body: pageStyle };
  }
  if (isRead && path === '/cards') return html(200, cardsPage());
  if (isRead && path === '/cards.json') {
    return { status: 200, headers: { 'content-type': 'application/json' }, body: cardsJson() };
  }
  const [, place, id, ...rest] = path.split('/');
  if (id === undefined || rest.length > 0 || !(isRead || method === 'POST')) return null;
  const params = new Reader(parseForm(isRead ? visit.query : visit.body));
  if (place === '3ds') return challenge(visit, isRead, id, params);
  if (place === 'onboarding') return onboarding(visit, isRead, id, params);
  return null;
}

function challenge(visit: Visit, isRead: boolean, id: string, params: Params): BankAnswer {
  const token = params.text('token') ?? '';
  for (const mode of ['test', 'live'] as const) {
    const answer = visit.work(mode, (work) => {
      const intent = work.find('intents', id);
      if (intent === undefined || intent.challenge === null || intent.challenge !== token) return null;
      if (isRead) return html(200, challengePage(intent, token), intent.returnUrl);
      const approved = params.oneOf('answer', ['approve', 'fail']) === 'approve';
      const { status, secret, returnUrl } = answerChallenge(work, intent, approved);
      const succeeded = status === 'requires_capture' || status === 'succeeded';
      if (returnUrl === null) return html(200, challengeDonePage(succeeded));
      const back = new URL(returnUrl);
      back.searchParams.set('payment_intent', id);
      back.searchParams.set('payment_intent_client_secret', secret);
      back.searchParams.set('redirect_status', succeeded ? 'succeeded' : 'failed');
      return redirect(back.href);
    });
    if (answer !== null) return answer;
  }
  return html(404, gonePage('style.css'));
}

function onboarding(visit: Visit, isRead: boolean, id: string, params: Params): BankAnswer {
  const token = params.text('token') ?? '';
  for (const mode of ['test', 'live'] as const) {
    const answer = visit.work(mode, (work) => {
      const account = work.find('accounts', id);
      const link = account?.link ?? null;
      if (account === undefined || link === null || link.token !== token || link.until < work.now) return null;
      if (isRead) return html(200, onboardingPage(account.businessName ?? 'The venue', token), link.returnUrl);
      completeOnboarding(work, account);
      return redirect(link.returnUrl);
    });
    if (answer !== null) return answer;
  }
  return html(404, gonePage('../3ds/style.css'));
}
