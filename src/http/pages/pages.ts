// The hosted pages: /c/<checkout_id> and /s/<token>, the forms on them, and the token that their script uses. Every answer is
// a page that a person can read, errors too.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isUnavailable } from '../../base/db.ts';
import { notFound, Problem } from '../../base/errors.ts';
import { networkOf } from '../../base/network.ts';
import { countSharedCalls } from '../../domain/keys/queries.ts';
import { TOKEN_SECONDS } from '../../domain/members/tokens.ts';
import { ProcessorUnavailable } from '../../domain/payments/processor.ts';
import { asProblem } from '../../run/problem.ts';
import type { HttpContext } from '../context.ts';
import { type Action, backTo, enterCode, giveName, look, otherPhone, signIn, signOut, sitDown } from './actions.ts';
import { readAssets, registerAssets } from './assets.ts';
import { html } from './html.ts';
import { guard, sendPage } from './layout.ts';
import { readPageModel } from './page-model.ts';
import { guestOf, openPageRequest, type PageRequest, placeOf, requireSameOrigin } from './page-request.ts';
import { chooseParty, firstChoice } from './party-action.ts';
import { screenOf } from './screens.ts';

const ACTIONS: Readonly<Record<string, Action>> = {
  'sign-in': signIn,
  code: enterCode,
  'other-phone': otherPhone,
  'sign-out': signOut,
  name: giveName,
  party: chooseParty,
  seat: sitDown,
  look,
};

const FORM_LIMIT = 32 * 1024;

/** Looks an hour: a phone that looks every five seconds makes 720. */
const MEMBER_LOOKS = 3_600;
const STRANGER_LOOKS = 600;
const MEMBER_FORMS = 120;

export async function registerPages(app: FastifyInstance, http: HttpContext): Promise<void> {
  await readAssets();
  registerAssets(app);
  for (const path of ['/c/:id', '/s/:token']) {
    app.get(path, (request, reply) => answer(http, request, reply, 'page', showPage));
    for (const [name, action] of Object.entries(ACTIONS)) {
      app.post(`${path}/${name}`, { config: { bodyLimit: FORM_LIMIT } }, (request, reply) =>
        answer(http, request, reply, `page.${name}`, (page) => act(page, action)),
      );
    }
  }
  app.post('/session/token', (request, reply) => answer(http, request, reply, 'page.token', giveToken));
}

/** For what no route is found for, and begins like a page of ours. */
export function sendNothingHere(
  http: HttpContext,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  return answer(http, request, reply, 'page', async () => {
    throw notFound();
  });
}

async function showPage(page: PageRequest): Promise<FastifyReply> {
  await count(page, 'looks');
  const place = await placeOf(page.http, page.request);
  const model = await readPageModel(page, place);
  const { edit, cover } = page.request.query as { edit?: unknown; cover?: unknown };
  const mayChoose = page.member !== null && page.member.displayName !== null;
  const chooses = model.checkout.status === 'open' || (edit === 'party' && model.isOrganizer);
  const choice = mayChoose && chooses ? await firstChoice(page, place) : null;
  return sendPage(page, screenOf(page, model, { choice, cover: typeof cover === 'string' ? cover : null }));
}

async function act(page: PageRequest, action: Action): Promise<FastifyReply> {
  requireSameOrigin(page);
  await count(page, 'forms');
  const place = await placeOf(page.http, page.request);
  const body = (page.request.body as Buffer | null | undefined) ?? Buffer.alloc(0);
  return action(page, place, new URLSearchParams(body.toString('utf8')));
}

/** For the page's own script: a member's token, from the cookie that scripts cannot read. */
async function giveToken(page: PageRequest): Promise<FastifyReply> {
  requireSameOrigin(page);
  await count(page, 'forms');
  const { memberId } = guestOf(page);
  const token = await page.http.app.tokens.sign(memberId);
  return page.reply.header('cache-control', 'no-store').send({ token, expires_in: TOKEN_SECONDS });
}

async function count({ http, member, request }: PageRequest, what: 'looks' | 'forms'): Promise<void> {
  const limit = what === 'forms' ? MEMBER_FORMS : member === null ? STRANGER_LOOKS : MEMBER_LOOKS;
  const who = member === null ? `address ${networkOf(request.ip)}` : `member ${member.id}`;
  const [taken] = await countSharedCalls(http.app.db.priority, limit, [{ subject: `page ${what} ${who}`, calls: 1 }]);
  if (taken !== undefined && taken.granted === 0) {
    const until = taken.retry_at === null ? 60 : (Date.parse(taken.retry_at) - Date.parse(taken.asked_at)) / 1_000;
    throw new Problem('rate_limited', { headers: { 'retry-after': String(Math.max(1, Math.ceil(until))) } });
  }
}

/** Whatever goes wrong is told as a page, in the guest's language, with the id to quote. */
async function answer(
  http: HttpContext,
  request: FastifyRequest,
  reply: FastifyReply,
  operation: string,
  run: (page: PageRequest) => Promise<FastifyReply>,
): Promise<FastifyReply> {
  request.operation = operation;
  reply.header('vary', 'cookie, accept-language');
  let visit: PageRequest | null = null;
  try {
    visit = await openPageRequest(http, request, reply);
    return await run(visit);
  } catch (error) {
    const problem = problemOf(error);
    if (problem.status >= 500) {
      http.app.log.error({ request_id: request.id, operation, err: problem.cause ?? problem }, problem.code);
    }
    if (visit === null) throw problem;
    // Signed out meanwhile: the page itself asks to sign in again.
    const page = /^\/[cs]\/[^/?]+/.exec(request.url)?.[0];
    if (problem.code === 'unauthorized' && page !== undefined && !wantsJson(request)) return backTo(visit, page);
    return sendProblem(visit, problem);
  }
}

function problemOf(error: unknown): Problem {
  if (isUnavailable(error) || error instanceof ProcessorUnavailable) {
    return new Problem('service_unavailable', { headers: { 'retry-after': '1' }, cause: error });
  }
  return error instanceof Problem ? error : asProblem(error);
}

const SAID = [
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
  const key = SAID.includes(problem.code) ? problem.code : 'trouble';
  reply.headers(problem.detail.headers ?? {});
  if (wantsJson(request)) {
    return guard(reply, page.secure)
      .code(problem.status)
      .send({ error: { code: problem.code } });
  }
  return sendPage(page, {
    status: problem.status,
    title: translator.translate(`page.error_${key}_title`),
    path: null,
    main: html`<section class="notice"><h1>${translator.translate(`page.error_${key}_title`)}</h1>
<p>${translator.translate(`page.error_${key}_text`)}</p>
${problem.status >= 500 && html`<p class="quiet">${translator.translate('page.request_id', { id: request.id })}</p>`}</section>`,
  });
}
