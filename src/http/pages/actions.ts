// What the forms of the pages do: sign in and out, a name, the party, a seat. Each is a POST that ends in a redirect back to
// the page (so that going back or reloading sends nothing twice), or in the same page with the error beside its field.

import type { FastifyReply } from 'fastify';
import { Problem } from '../../base/errors.ts';
import { takeSeat } from '../../domain/checkouts/party/claim-seat.ts';
import { lookAtShare } from '../../domain/checkouts/party/invitee.ts';
import { setMemberName } from '../../domain/members/profile.ts';
import { beginSession, endSession, SESSION_SECONDS } from '../../domain/members/sessions.ts';
import { beginSignIn, finishSignIn } from '../../domain/members/sign-in.ts';
import { keepPending, readCookie, setCookie } from './cookies.ts';
import { sendPage } from './layout.ts';
import { readScene } from './page-model.ts';
import { guestOf, type Place, type Visit } from './page-request.ts';
import { cut, phoneOf } from './party-form.ts';
import { type Showing, screenOf } from './screens.ts';

export type Action = (visit: Visit, place: Place, form: URLSearchParams) => Promise<FastifyReply>;

/** Back to the page, by GET. */
export function backTo({ reply }: Visit, path: string): FastifyReply {
  return reply.header('cache-control', 'no-store').redirect(path, 303);
}

export async function show(visit: Visit, place: Place, showing: Showing): Promise<FastifyReply> {
  return sendPage(visit, screenOf(visit, await readScene(visit, place), showing));
}

function wrong(visit: Visit, place: Place, field: string, key: string, typed: Record<string, string> = {}) {
  const trouble = { field, message: visit.words.say(key), typed };
  return show(visit, place, { status: 422, trouble });
}

export const signIn: Action = async (visit, place, form) => {
  const { door, request, reply } = visit;
  const { house } = door;
  const typed = form.get('phone') ?? '';
  const phone = await phoneFor(visit, place, form);
  if (phone === null) return wrong(visit, place, 'phone', 'page.phone_wrong', { phone: typed });
  try {
    const { challenge_id } = await beginSignIn(house.money, { phone }, request.ip, visit.words.language);
    keepPending(reply, house.seal, { challengeId: challenge_id, phone }, visit.secure);
    return backTo(visit, place.path);
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'rate_limited') throw error;
    const trouble = {
      field: visit.pending === null ? 'phone' : 'code',
      message: visit.words.say('page.too_many_codes'),
      typed: { phone: typed },
    };
    return show(visit, place, { status: 429, trouble });
  }
};

/** As typed; or the one that the invite was sent to; or the one that a code was sent to already. */
async function phoneFor(visit: Visit, place: Place, form: URLSearchParams): Promise<string | null> {
  if (form.has('again') && visit.pending !== null) return visit.pending.phone;
  if (!form.has('invited')) return phoneOf(form.get('phone') ?? '', visit.door.house.config.sandboxTexts);
  return (await readScene(visit, place)).invitee?.phone ?? null;
}

export const enterCode: Action = async (visit, place, form) => {
  const { door, reply, pending, secure } = visit;
  const { house } = door;
  if (pending === null) return backTo(visit, place.path);
  const code = (form.get('code') ?? '').replaceAll(/\s/g, '');
  if (!/^\d{6}$/.test(code)) return wrong(visit, place, 'code', 'page.code_form');
  try {
    const answer = { challenge_id: pending.challengeId, code };
    const member = await finishSignIn(house.money, answer, visit.words.language);
    setCookie(reply, 'sign_in', '', 0, secure);
    setCookie(reply, 'session', await beginSession(house, member.id), SESSION_SECONDS, secure);
    return backTo(visit, place.path);
  } catch (error) {
    if (!(error instanceof Problem) || error.status !== 422) throw error;
    const isSpent = error.detail.field === '/challenge_id';
    return wrong(visit, place, 'code', isSpent ? 'page.code_spent' : 'page.code_wrong');
  }
};

export const otherPhone: Action = async (visit, place) => {
  setCookie(visit.reply, 'sign_in', '', 0, visit.secure);
  return backTo(visit, place.path);
};

export const signOut: Action = async (visit, place) => {
  const token = readCookie(visit.request, 'session', visit.secure);
  if (token !== null) await endSession(visit.door.house.db, token);
  setCookie(visit.reply, 'session', '', 0, visit.secure);
  return backTo(visit, place.path);
};

export const giveName: Action = async (visit, place, form) => {
  const { memberId } = guestOf(visit);
  const name = cut(form.get('name') ?? '');
  try {
    await setMemberName(visit.door.house.db, memberId, name);
    return backTo(visit, place.path);
  } catch (error) {
    if (!(error instanceof Problem) || error.status !== 422) throw error;
    return wrong(visit, place, 'name', 'page.name_wrong', { name });
  }
};

export const sitDown: Action = async (visit, place, form) => {
  const guest = guestOf(visit);
  try {
    await takeSeat(visit.door.house.money, guest, place.checkoutId, form.get('share'));
    return backTo(visit, place.path);
  } catch (error) {
    return notDone(visit, place, error);
  }
};

/** A guest's browser thinks that a card was held: the processor is asked. What it says is what the page shows. */
export const look: Action = async (visit, place, form) => {
  await lookAtShare(visit.door.house.money, guestOf(visit), place.venueId, place.checkoutId, form.get('share') ?? '');
  return visit.reply.code(204).send();
};

/** What the state has overtaken is said above the page as it is now. */
export async function notDone(visit: Visit, place: Place, error: unknown): Promise<FastifyReply> {
  if (!(error instanceof Problem) || error.status >= 500) throw error;
  // Nobody has chosen yet: the page to choose on says all there is to say.
  if ((await readScene(visit, place)).checkout.status === 'open') return backTo(visit, place.path);
  const { reason } = error.detail;
  const key = reason === undefined ? `page.refused_${error.code}` : `page.refused_${reason}`;
  return show(visit, place, { status: error.status, trouble: { field: null, message: visit.words.say(key) } });
}
