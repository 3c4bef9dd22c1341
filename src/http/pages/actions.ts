// What the forms of the pages do: sign in and out, a name, the party, a seat. Each is a POST that ends in a redirect back to
// the page (so that going back or reloading sends nothing twice), or in the same page with the error beside its field.

import type { FastifyReply } from 'fastify';
import type { SignedIn, SignInChallenge } from '../../../schemas/types.gen.ts';
import { notFound, Problem } from '../../base/errors.ts';
import { pollShare } from '../../domain/checkouts/party/invitee.ts';
import { setMemberName } from '../../domain/members/profile.ts';
import { beginSession, endSession, SESSION_SECONDS } from '../../domain/members/sessions.ts';
import { keepPending, readCookie, setCookie } from './cookies.ts';
import { sendPage } from './layout.ts';
import { readPageModel } from './page-model.ts';
import { anonymousCallerOf, guestOf, type PageRequest, type Place, performForm } from './page-request.ts';
import { cut, phoneOf } from './party-form.ts';
import { type Showing, screenOf } from './screens.ts';

export type Action = (page: PageRequest, place: Place, form: URLSearchParams) => Promise<FastifyReply>;

/** Back to the page, by GET. */
export function backTo({ reply }: PageRequest, path: string): FastifyReply {
  return reply.header('cache-control', 'no-store').redirect(path, 303);
}

export async function show(page: PageRequest, place: Place, showing: Showing): Promise<FastifyReply> {
  return sendPage(page, screenOf(page, await readPageModel(page, place), showing));
}

function wrong(page: PageRequest, place: Place, field: string, key: string, typed: Record<string, string> = {}) {
  const trouble = { field, message: page.translator.translate(key), typed };
  return show(page, place, { status: 422, trouble });
}

export const signIn: Action = async (page, place, form) => {
  const { http, reply } = page;
  const typed = form.get('phone') ?? '';
  const phone = await phoneFor(page, place, form);
  if (phone === null) return wrong(page, place, 'phone', 'page.phone_wrong', { phone: typed });
  try {
    const { body } = await performForm(page, 'signIn', anonymousCallerOf(page), { phone });
    const { challenge_id: challengeId } = body as SignInChallenge;
    keepPending(reply, http.app.seal, { challengeId, phone }, page.secure);
    return backTo(page, place.path);
  } catch (error) {
    if (error instanceof Problem && error.status === 422)
      return wrong(page, place, 'phone', 'page.phone_wrong', { phone: typed });
    if (!(error instanceof Problem) || error.code !== 'rate_limited') throw error;
    const trouble = {
      field: page.pending === null ? 'phone' : 'code',
      message: page.translator.translate('page.too_many_codes'),
      typed: { phone: typed },
    };
    return show(page, place, { status: 429, trouble });
  }
};

/** As typed; or the one that the invite was sent to; or the one that a code was sent to already. */
async function phoneFor(page: PageRequest, place: Place, form: URLSearchParams): Promise<string | null> {
  if (form.has('again') && page.pending !== null) return page.pending.phone;
  if (!form.has('invited')) return phoneOf(form.get('phone') ?? '', page.http.app.config.sandboxTexts);
  return (await readPageModel(page, place)).invitee?.phone ?? null;
}

export const enterCode: Action = async (page, place, form) => {
  const { http, reply, pending, secure } = page;
  const { app: context } = http;
  if (pending === null) return backTo(page, place.path);
  const code = (form.get('code') ?? '').replaceAll(/\s/g, '');
  if (!/^\d{6}$/.test(code)) return wrong(page, place, 'code', 'page.code_form');
  try {
    const fields = { challenge_id: pending.challengeId, code };
    const { body } = await performForm(page, 'verifySignIn', anonymousCallerOf(page), fields);
    const { member } = body as SignedIn;
    setCookie(reply, 'sign_in', '', 0, secure);
    setCookie(reply, 'session', await beginSession(context, member.id), SESSION_SECONDS, secure);
    return backTo(page, place.path);
  } catch (error) {
    if (!(error instanceof Problem) || error.status !== 422) throw error;
    const isSpent = error.detail.field === '/challenge_id';
    return wrong(page, place, 'code', isSpent ? 'page.code_spent' : 'page.code_wrong');
  }
};

export const otherPhone: Action = async (page, place) => {
  setCookie(page.reply, 'sign_in', '', 0, page.secure);
  return backTo(page, place.path);
};

export const signOut: Action = async (page, place) => {
  const token = readCookie(page.request, 'session', page.secure);
  if (token !== null) await endSession(page.http.app.db, token);
  setCookie(page.reply, 'session', '', 0, page.secure);
  return backTo(page, place.path);
};

export const giveName: Action = async (page, place, form) => {
  const { memberId } = guestOf(page);
  const name = cut(form.get('name') ?? '');
  try {
    await setMemberName(page.http.app.db, memberId, name);
    return backTo(page, place.path);
  } catch (error) {
    if (!(error instanceof Problem) || error.status !== 422) throw error;
    return wrong(page, place, 'name', 'page.name_wrong', { name });
  }
};

export const sitDown: Action = async (page, place, form) => {
  const guest = guestOf(page);
  const share = form.get('share');
  try {
    await performForm(page, 'takeSeat', guest, share === null ? {} : { share_id: share }, { id: place.checkoutId });
    return backTo(page, place.path);
  } catch (error) {
    // Only a changed form names something that cannot be a share: there is no such share.
    const isNoShare = error instanceof Problem && error.status === 422;
    return notDone(page, place, isNoShare ? notFound() : error);
  }
};

/** A guest's browser thinks that a card was held: the processor is asked. What it says is what the page shows. */
export const look: Action = async (page, place, form) => {
  await pollShare(page.http.app.services, guestOf(page), place.venueId, place.checkoutId, form.get('share') ?? '');
  return page.reply.code(204).send();
};

/** What the state has overtaken is said above the page as it is now. */
export async function notDone(page: PageRequest, place: Place, error: unknown): Promise<FastifyReply> {
  if (!(error instanceof Problem) || error.status >= 500) throw error;
  // Nobody has chosen yet: the page to choose on says all there is to say.
  if ((await readPageModel(page, place)).checkout.status === 'open') return backTo(page, place.path);
  const { reason } = error.detail;
  const key = reason === undefined ? `page.refused_${error.code}` : `page.refused_${reason}`;
  return show(page, place, { status: error.status, trouble: { field: null, message: page.translator.translate(key) } });
}
