// The actions of the pages' forms: sign in and out, set a name, take a seat. Each is a POST that redirects back to the
// page, with an error too, so that going back or reloading repeats nothing and every address in the history is a page.

import type { FastifyReply } from 'fastify';
import { parsePhone } from '../../../schemas/rules/phone.ts';
import { notFound, Problem } from '../../base/errors.ts';
import { pollShare } from '../../domain/checkouts/holds/poll-share.ts';
import { setMemberName } from '../../domain/members/profile.ts';
import { beginSession, endSession, SESSION_SECONDS } from '../../domain/members/sessions.ts';
import { type PendingSignIn, readCookie, setCookie, setFormError, setPendingSignIn } from './cookies.ts';
import { readPageModel } from './page-model.ts';
import { anonymousCallerOf, guestOf, type PageRequest, type PageRoute, performForm } from './page-request.ts';
import { cleanText } from './party-form.ts';
import type { FormError } from './sign-in-form.ts';

export type Action = (page: PageRequest, route: PageRoute, form: URLSearchParams) => Promise<FastifyReply>;

/** The browser follows with a GET. */
export function redirectTo({ reply }: PageRequest, path: string): FastifyReply {
  return reply.header('cache-control', 'no-store').redirect(path, 303);
}

/** The page that follows shows the error. */
export function redirectWithError(page: PageRequest, route: PageRoute, error: FormError, path?: string): FastifyReply {
  const stored = { checkoutId: route.checkoutId, ...error };
  setFormError(page.reply, page.http.app.seal, stored, page.isSecure);
  return redirectTo(page, path ?? route.path);
}

function fieldProblem(
  page: PageRequest,
  route: PageRoute,
  field: string,
  key: string,
  typed: Record<string, string> = {},
): FastifyReply {
  return redirectWithError(page, route, { field, message: page.translator.translate(key), typed });
}

export const signIn: Action = async (page, route, form) => {
  const { http, reply } = page;
  const typed = form.get('phone') ?? '';
  const target = await phoneToSignIn(page, route, form);
  if (target === null) return fieldProblem(page, route, 'phone', 'page.phone_wrong', { phone: typed });
  try {
    const { challenge_id: challengeId } = await performForm(page, 'signIn', anonymousCallerOf(page), {
      body: { phone: target.phone },
    });
    setPendingSignIn(reply, http.app.seal, { challengeId, ...target }, page.isSecure);
    // The next page sees by the time whether the cookie should have come with it.
    return redirectTo(page, `${route.path}?sent=${Math.floor(http.app.clock.now() / 1000)}`);
  } catch (error) {
    if (error instanceof Problem && error.status === 422)
      return fieldProblem(page, route, 'phone', 'page.phone_wrong', { phone: typed });
    if (!(error instanceof Problem) || error.code !== 'rate_limited') throw error;
    return fieldProblem(page, route, page.pending === null ? 'phone' : 'code', 'page.too_many_codes', { phone: typed });
  }
};

/** The phone that the guest typed, the phone of the invite, or the phone that got the previous code. */
async function phoneToSignIn(
  page: PageRequest,
  route: PageRoute,
  form: URLSearchParams,
): Promise<Pick<PendingSignIn, 'phone' | 'showsEnding'> | null> {
  if (form.has('again') && page.pending !== null) return page.pending;
  if (!form.has('invited')) {
    const phone = parsePhone(form.get('phone') ?? '', page.http.app.services.phones);
    return phone === null ? null : { phone, showsEnding: true };
  }
  const { invitee } = await readPageModel(page, route);
  return invitee === null || invitee.phone === null
    ? null
    : { phone: invitee.phone, showsEnding: invitee.isNamedByPhone };
}

export const enterCode: Action = async (page, route, form) => {
  const { http, reply, pending, isSecure } = page;
  const { app: context } = http;
  if (pending === null) return redirectTo(page, route.path);
  const code = (form.get('code') ?? '').replaceAll(/\s/g, '');
  if (!/^\d{6}$/.test(code)) return fieldProblem(page, route, 'code', 'page.code_form');
  try {
    const body = { challenge_id: pending.challengeId, code };
    const { member } = await performForm(page, 'verifySignIn', anonymousCallerOf(page), { body });
    setCookie(reply, 'sign_in', '', 0, isSecure);
    setCookie(reply, 'session', await beginSession(context, member.id), SESSION_SECONDS, isSecure);
    return redirectTo(page, route.path);
  } catch (error) {
    if (!(error instanceof Problem) || error.status !== 422) throw error;
    const isSpent = error.detail.field === '/challenge_id';
    return fieldProblem(page, route, 'code', isSpent ? 'page.code_spent' : 'page.code_wrong');
  }
};

export const useOtherPhone: Action = async (page, route) => {
  setCookie(page.reply, 'sign_in', '', 0, page.isSecure);
  return redirectTo(page, route.path);
};

export const signOut: Action = async (page, route) => {
  const token = readCookie(page.request, 'session', page.isSecure);
  if (token !== null) await endSession(page.http.app.db, token);
  setCookie(page.reply, 'session', '', 0, page.isSecure);
  return redirectTo(page, route.path);
};

export const setName: Action = async (page, route, form) => {
  const { memberId } = guestOf(page);
  const name = cleanText(form.get('name') ?? '');
  try {
    await setMemberName(page.http.app.db, memberId, name);
    return redirectTo(page, route.path);
  } catch (error) {
    if (!(error instanceof Problem) || error.status !== 422) throw error;
    return fieldProblem(page, route, 'name', 'page.name_wrong', { name });
  }
};

export const takeSeat: Action = async (page, route, form) => {
  const guest = guestOf(page);
  const share = form.get('share');
  try {
    const body = share === null ? {} : { share_id: share };
    await performForm(page, 'takeSeat', guest, { body, params: { id: route.checkoutId } });
    return redirectTo(page, route.path);
  } catch (error) {
    // Only a manipulated form sends an id that cannot be a share's, so it is answered like an unknown share.
    const isNoShare = error instanceof Problem && error.status === 422;
    return sendRefusal(page, route, isNoShare ? notFound() : error);
  }
};

export const mailReceipt: Action = async (page, route, form) => {
  const guest = guestOf(page);
  const email = (form.get('email') ?? '').trim();
  try {
    await performForm(page, 'mailReceipt', guest, { body: { email }, params: { id: route.checkoutId } });
    return redirectTo(page, route.path);
  } catch (error) {
    if (error instanceof Problem && error.status === 422)
      return fieldProblem(page, route, 'email', 'page.email_wrong', { email });
    if (error instanceof Problem && error.code === 'rate_limited')
      return fieldProblem(page, route, 'email', 'page.receipt_too_often', { email });
    return sendRefusal(page, route, error);
  }
};

/** The page that follows shows the row of the person, and when they can be reminded again. */
export const remind: Action = async (page, route, form) => {
  const guest = guestOf(page);
  const share = form.get('share') ?? '';
  try {
    await performForm(page, 'remindShare', guest, { body: {}, params: { share_id: share } });
    return redirectTo(page, `/c/${route.checkoutId}#person-${share}`);
  } catch (error) {
    return sendRefusal(page, route, error);
  }
};

/** A guest's browser reports a confirmed card. The server asks the processor, and the page shows the processor's answer. */
export const pollHold: Action = async (page, route, form) => {
  await pollShare(page.http.app.services, guestOf(page), route.venueId, route.checkoutId, form.get('share') ?? '');
  return page.reply.code(204).send();
};

/** The checkout's state has changed and refuses the action: the current page says why. */
export async function sendRefusal(
  page: PageRequest,
  route: PageRoute,
  error: unknown,
  textByReason: Readonly<Record<string, string>> = {},
): Promise<FastifyReply> {
  if (!(error instanceof Problem) || error.status >= 500) throw error;
  // Without a party yet, the page for choosing one needs no explanation.
  if ((await readPageModel(page, route)).checkout.status === 'open') return redirectTo(page, route.path);
  const { reason } = error.detail;
  const key = reason === undefined ? `page.refused_${error.code}` : (textByReason[reason] ?? `page.refused_${reason}`);
  return redirectWithError(page, route, { field: null, message: page.translator.translate(key) });
}
