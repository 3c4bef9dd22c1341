// The forms with which a guest leaves the group, and with which the organizer removes a guest. Each runs its operation.

import type { FastifyReply } from 'fastify';
import { type Action, redirectTo, sendRefusal } from './actions.ts';
import { readPageModel } from './page-model.ts';
import { anonymousCallerOf, guestOf, type PageRequest, type PageRoute, performForm } from './page-request.ts';

/** The page says what counts instead once all have paid, and what an organizer can do. */
async function refuse(page: PageRequest, route: PageRoute, error: unknown): Promise<FastifyReply> {
  const { status } = (await readPageModel(page, route)).checkout;
  const isPaid = status === 'funded' || status === 'completed';
  return sendRefusal(page, route, error, {
    own_share: 'page.organizer_stays',
    share_already_held: 'page.refused_sign_in_to_leave',
    ...(isPaid ? { checkout_not_collecting: 'page.refused_all_paid' } : {}),
  });
}

/** A signed-in guest leaves with the own share. Without a sign-in the link of the invite is the proof. */
export const leave: Action = async (page, route, form) => {
  const { token } = page.request.params as { token?: string };
  const guest = page.member === null && token !== undefined ? null : guestOf(page);
  try {
    if (guest === null)
      await performForm(page, 'declineInvite', anonymousCallerOf(page), { body: { token: token ?? '' } });
    else await performForm(page, 'declineShare', guest, inputOf(form));
    return redirectTo(page, route.path);
  } catch (error) {
    return await refuse(page, route, error);
  }
};

export const remove: Action = async (page, route, form) => {
  const guest = guestOf(page);
  try {
    await performForm(page, 'removeShare', guest, inputOf(form));
    return redirectTo(page, `/c/${route.checkoutId}`);
  } catch (error) {
    return await refuse(page, route, error);
  }
};

/** The share, and what the page has said about it. */
function inputOf(form: URLSearchParams): Parameters<typeof performForm>[3] {
  return { body: {}, params: { share_id: form.get('share') ?? '' }, expectedVersion: form.get('seen') ?? '' };
}
