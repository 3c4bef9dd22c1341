// The hosted pages: /c/<checkout_id> and /s/<token>, the forms on them, and the token that their script uses. Every answer is
// a page that a person can read, errors too.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isUnavailable } from '../../base/db.ts';
import { notFound, Problem } from '../../base/errors.ts';
import { networkOf } from '../../base/network.ts';
import { takeAll } from '../../domain/keys/queries.ts';
import { TOKEN_SECONDS } from '../../domain/members/tokens.ts';
import { ProcessorTrouble } from '../../domain/payments/processor.ts';
import { asProblem } from '../../run/problem.ts';
import type { Door } from '../server.ts';
import { type Action, backTo, enterCode, giveName, look, otherPhone, signIn, signOut, sitDown } from './actions.ts';
import { readAssets, registerAssets } from './assets.ts';
import { html } from './html.ts';
import { guard, sendPage } from './layout.ts';
import { readScene } from './page-model.ts';
import { guestOf, mustBeOurs, placeOf, receive, type Visit } from './page-request.ts';
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

export async function registerPages(app: FastifyInstance, door: Door): Promise<void> {
  await readAssets();
  registerAssets(app);
  for (const path of ['/c/:id', '/s/:token']) {
    app.get(path, (request, reply) => answer(door, request, reply, 'page', showPage));
    for (const [name, action] of Object.entries(ACTIONS)) {
      app.post(`${path}/${name}`, { config: { bodyLimit: FORM_LIMIT } }, (request, reply) =>
        answer(door, request, reply, `page.${name}`, (visit) => act(visit, action)),
      );
    }
  }
  app.post('/session/token', (request, reply) => answer(door, request, reply, 'page.token', giveToken));
}

/** For what no route is found for, and begins like a page of ours. */
export function sendNothingHere(door: Door, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  return answer(door, request, reply, 'page', async () => {
    throw notFound();
  });
}

async function showPage(visit: Visit): Promise<FastifyReply> {
  await count(visit, 'looks');
  const place = await placeOf(visit.door, visit.request);
  const scene = await readScene(visit, place);
  const { edit, cover } = visit.request.query as { edit?: unknown; cover?: unknown };
  const mayChoose = visit.member !== null && visit.member.displayName !== null;
  const chooses = scene.checkout.status === 'open' || (edit === 'party' && scene.isOrganizer);
  const choice = mayChoose && chooses ? await firstChoice(visit, place) : null;
  return sendPage(visit, screenOf(visit, scene, { choice, cover: typeof cover === 'string' ? cover : null }));
}

async function act(visit: Visit, action: Action): Promise<FastifyReply> {
  mustBeOurs(visit);
  await count(visit, 'forms');
  const place = await placeOf(visit.door, visit.request);
  const body = (visit.request.body as Buffer | null | undefined) ?? Buffer.alloc(0);
  return action(visit, place, new URLSearchParams(body.toString('utf8')));
}

/** For the page's own script: a member's token, from the cookie that scripts cannot read. */
async function giveToken(visit: Visit): Promise<FastifyReply> {
  mustBeOurs(visit);
  await count(visit, 'forms');
  const { memberId } = guestOf(visit);
  const token = await visit.door.house.tokens.sign(memberId);
  return visit.reply.header('cache-control', 'no-store').send({ token, expires_in: TOKEN_SECONDS });
}

async function count({ door, member, request }: Visit, what: 'looks' | 'forms'): Promise<void> {
  const limit = what === 'forms' ? MEMBER_FORMS : member === null ? STRANGER_LOOKS : MEMBER_LOOKS;
  const who = member === null ? `address ${networkOf(request.ip)}` : `member ${member.id}`;
  const [taken] = await takeAll(door.house.db.express, limit, [{ subject: `page ${what} ${who}`, calls: 1 }]);
  if (taken !== undefined && taken.granted === 0) {
    const until = taken.retry_at === null ? 60 : (Date.parse(taken.retry_at) - Date.parse(taken.asked_at)) / 1_000;
    throw new Problem('rate_limited', { headers: { 'retry-after': String(Math.max(1, Math.ceil(until))) } });
  }
}

/** Whatever goes wrong is told as a page, in the guest's language, with the id to quote. */
async function answer(
  door: Door,
  request: FastifyRequest,
  reply: FastifyReply,
  operation: string,
  run: (visit: Visit) => Promise<FastifyReply>,
): Promise<FastifyReply> {
  request.operation = operation;
  reply.header('vary', 'cookie, accept-language');
  let visit: Visit | null = null;
  try {
    visit = await receive(door, request, reply);
    return await run(visit);
  } catch (error) {
    const problem = problemOf(error);
    if (problem.status >= 500) {
      door.house.log.error({ request_id: request.id, operation, err: problem.cause ?? problem }, problem.code);
    }
    if (visit === null) throw problem;
    // Signed out meanwhile: the page itself asks to sign in again.
    const page = /^\/[cs]\/[^/?]+/.exec(request.url)?.[0];
    if (problem.code === 'unauthorized' && page !== undefined && !wantsJson(request)) return backTo(visit, page);
    return sendProblem(visit, problem);
  }
}

function problemOf(error: unknown): Problem {
  if (isUnavailable(error) || error instanceof ProcessorTrouble) {
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

function sendProblem(visit: Visit, problem: Problem): FastifyReply {
  const { reply, request, words } = visit;
  const key = SAID.includes(problem.code) ? problem.code : 'trouble';
  reply.headers(problem.detail.headers ?? {});
  if (wantsJson(request)) {
    return guard(reply, visit.secure)
      .code(problem.status)
      .send({ error: { code: problem.code } });
  }
  return sendPage(visit, {
    status: problem.status,
    title: words.say(`page.error_${key}_title`),
    path: null,
    main: html`<section class="notice"><h1>${words.say(`page.error_${key}_title`)}</h1>
<p>${words.say(`page.error_${key}_text`)}</p>
${problem.status >= 500 && html`<p class="quiet">${words.say('page.request_id', { id: request.id })}</p>`}</section>`,
  });
}
