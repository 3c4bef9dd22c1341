// The routes of the hosted pages: /c/<checkout_id> and /s/<token>, their forms, and the token for their script. Errors are
// rendered as pages too.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { notFound, Problem } from '../../base/errors.ts';
import { networkOf } from '../../base/network.ts';
import { countSharedCalls } from '../../domain/keys/queries.ts';
import { retryAfterSeconds } from '../../domain/keys/retry-after.ts';
import { MEMBER_WRITES_PER_HOUR } from '../../domain/members/limits.ts';
import { TOKEN_SECONDS } from '../../domain/members/token-keys.ts';
import { asProblem } from '../../run/problem.ts';
import type { HttpContext } from '../context.ts';
import {
  type Action,
  enterCode,
  mailReceipt,
  pollHold,
  redirectTo,
  remind,
  setName,
  signIn,
  signOut,
  takeSeat,
  useOtherPhone,
} from './actions.ts';
import { readAssets, registerAssets } from './assets.ts';
import { readCookie, readFormError, setCookie } from './cookies.ts';
import { html } from './html.ts';
import { sendPage, setSecurityHeaders } from './layout.ts';
import { leave, remove } from './leave-action.ts';
import { findSavedCardShare, readPageModel } from './page-model.ts';
import { findPageRoute, guestOf, openPageRequest, type PageRequest, requireSameOrigin } from './page-request.ts';
import { chooseParty, currentChoice } from './party-action.ts';
import { renderScreen } from './screens.ts';
import type { FormError } from './sign-in-form.ts';

const ACTIONS: Readonly<Record<string, Action>> = {
  'sign-in': signIn,
  code: enterCode,
  'other-phone': useOtherPhone,
  'sign-out': signOut,
  name: setName,
  party: chooseParty,
  seat: takeSeat,
  leave,
  remove,
  receipt: mailReceipt,
  remind,
  look: pollHold,
};

const MAX_FORM_BYTES = 32 * 1024;

/** A page that polls every five seconds makes 720 requests an hour. */
const MEMBER_VIEWS_PER_HOUR = 3_600;
const ANONYMOUS_VIEWS_PER_HOUR = 600;

export function registerPages(app: FastifyInstance, http: HttpContext): void {
  readAssets();
  registerAssets(app);
  for (const path of ['/c/:id', '/s/:token']) {
    app.get(path, (request, reply) => handlePage(http, request, reply, 'page', showPage));
    for (const [name, action] of Object.entries(ACTIONS)) {
      // Opened again from the history or a bookmark, the address of a form leads to the page that it belongs to.
      app.get(`${path}/${name}`, (request, reply) =>
        handlePage(http, request, reply, `page.${name}`, async (page) => {
          await countCall(page, 'looks');
          return redirectTo(page, (await findPageRoute(page.http, page.request)).path);
        }),
      );
      app.post(`${path}/${name}`, { config: { bodyLimit: MAX_FORM_BYTES } }, (request, reply) =>
        handlePage(http, request, reply, `page.${name}`, (page) => runAction(page, action)),
      );
    }
  }
  app.post('/session/token', (request, reply) => handlePage(http, request, reply, 'page.token', issueToken));
}

/** For a path that begins like a page's and has no route. */
export function sendPageNotFound(
  http: HttpContext,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  return handlePage(http, request, reply, 'page', async () => {
    throw notFound();
  });
}

async function showPage(page: PageRequest): Promise<FastifyReply> {
  await countCall(page, 'looks');
  const route = await findPageRoute(page.http, page.request);
  const model = await readPageModel(page, route);
  const { edit, cover, ...query } = page.request.query as Readonly<Record<string, unknown>>;
  const asked = {
    paysOwn: query.pay === 'own',
    leaves: query.leave === 'own',
    removes: typeof query.remove === 'string' ? query.remove : null,
    isMailed: query.receipt === 'mailed',
  };
  const mayChoose = page.member !== null && page.member.displayName !== null;
  const chooses = model.checkout.status === 'open' || (edit === 'party' && model.isOrganizer);
  const stored = readFormError(page.request, page.http.app.seal, page.isSecure);
  const formError = stored?.checkoutId === route.checkoutId ? stored : cookieProblem(page, query.sent);
  const choice = mayChoose && chooses ? await currentChoice(page, model, formError) : null;
  if (typeof cover !== 'string' || !model.isOrganizer)
    return sendPage(page, renderScreen(page, model, { choice, ...asked, formError }));
  const sameCard = await findSavedCardShare(page, route);
  return sendPage(page, renderScreen(page, model, { choice, cover, sameCard, formError }));
}

/** The page follows at once. Later the address may be that of another browser, to which the guest has copied it. */
const SENT_SECONDS = 30;

/** A code was texted a moment ago, and the cookie that names it has not come: without it each tap would text another code. */
function cookieProblem({ http, member, pending, translator }: PageRequest, sentAt: unknown): FormError | null {
  const age = http.app.clock.now() / 1000 - Number(sentAt);
  const isMissing = typeof sentAt === 'string' && member === null && pending === null && age < SENT_SECONDS;
  return isMissing ? { field: 'phone', message: translator.translate('page.cookies_blocked') } : null;
}

async function runAction(page: PageRequest, action: Action): Promise<FastifyReply> {
  requireSameOrigin(page);
  await countCall(page, 'forms');
  const route = await findPageRoute(page.http, page.request);
  if (readCookie(page.request, 'form_error', page.isSecure) !== null)
    setCookie(page.reply, 'form_error', '', 0, page.isSecure);
  const body = (page.request.body as Buffer | null | undefined) ?? Buffer.alloc(0);
  return action(page, route, new URLSearchParams(body.toString('utf8')));
}

/** Gives the page's script a member token in exchange for the session cookie, which scripts cannot read. */
async function issueToken(page: PageRequest): Promise<FastifyReply> {
  requireSameOrigin(page);
  await countCall(page, 'forms');
  const { memberId } = guestOf(page);
  const token = await page.http.app.tokens.sign(memberId);
  return page.reply.header('cache-control', 'no-store').send({ token, expires_in: TOKEN_SECONDS });
}

export async function countCall({ http, member, request }: PageRequest, what: 'looks' | 'forms'): Promise<void> {
  const limit =
    what === 'forms' ? MEMBER_WRITES_PER_HOUR : member === null ? ANONYMOUS_VIEWS_PER_HOUR : MEMBER_VIEWS_PER_HOUR;
  const who = member === null ? `address ${networkOf(request.ip)}` : `member ${member.id}`;
  await countPageCall(http, `page ${what} ${who}`, limit);
}

/** 429 above the limit of an hour. All servers count together. */
export async function countPageCall({ app }: HttpContext, subject: string, limit: number): Promise<void> {
  const [counted] = await countSharedCalls(app.db.priority, limit, [{ subject, calls: 1 }]);
  if (counted === undefined || counted.granted === 1) return;
  throw new Problem('rate_limited', { headers: { 'retry-after': String(retryAfterSeconds(counted)) } });
}

/** Renders any error as a page in the guest's language; a server error shows the request id. */
export async function handlePage(
  http: HttpContext,
  request: FastifyRequest,
  reply: FastifyReply,
  operation: string,
  run: (page: PageRequest) => Promise<FastifyReply>,
): Promise<FastifyReply> {
  request.operation = operation;
  reply.header('vary', 'cookie, accept-language, accept-encoding');
  let page: PageRequest | null = null;
  try {
    page = await openPageRequest(http, request, reply);
    return await run(page);
  } catch (error) {
    const problem = asProblem(error);
    if (problem.status >= 500) {
      http.app.log.error(
        { request_id: request.id, operation, code: problem.code, err: problem.cause ?? problem },
        'the server could not answer a request',
      );
    }
    if (page === null) throw problem;
    // The session has ended: the page asks the guest to sign in again.
    const path = /^\/[cs]\/[^/?]+/.exec(request.url)?.[0];
    if (problem.code === 'unauthorized' && path !== undefined && !wantsJson(request)) return redirectTo(page, path);
    return sendProblem(page, problem);
  }
}

const TRANSLATED_CODES = [
  'not_found',
  'rate_limited',
  'service_unavailable',
  'unauthorized',
  'origin_not_allowed',
  'payload_too_large',
];

function wantsJson({ headers }: FastifyRequest): boolean {
  return (headers.accept ?? '').includes('application/json');
}

function sendProblem(page: PageRequest, problem: Problem): FastifyReply {
  const { reply, request, translator } = page;
  const key = TRANSLATED_CODES.includes(problem.code) ? problem.code : 'trouble';
  reply.headers(problem.detail.headers ?? {});
  if (wantsJson(request)) {
    return setSecurityHeaders(reply)
      .code(problem.status)
      .send({ error: { code: problem.code } });
  }
  return sendPage(page, {
    status: problem.status,
    title: translator.translate(`page.error_${key}_title`),
    path: null,
    main: html`${problem.status === 404 && html`<div class="faces" aria-hidden="true">${['', '', '', '?', '', ''].map((mark) => html`<span class="face">${mark}</span>`)}</div>`}<div class="title"><h1>${translator.translate(`page.error_${key}_title`)}</h1>
<p class="lead">${translator.translate(`page.error_${key}_text`)}</p></div>
<p class="quiet">${translator.translate('page.error_no_charge')}</p>
${problem.status >= 500 && html`<p class="quiet">${translator.translate('page.request_id', { id: request.id })}</p>`}`,
  });
}
