// The forms with which a guest leaves the group, and with which the organizer removes a guest. Each runs its operation.

import { type Action, redirectTo, sendRefusal } from './actions.ts';
import { anonymousCallerOf, guestOf, performForm } from './page-request.ts';

/** The page says what counts instead once all have paid, and what an organizer can do. */
const REFUSALS = { checkout_not_collecting: 'page.refused_all_paid', own_share: 'page.organizer_stays' };

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
    return sendRefusal(page, route, error, REFUSALS);
  }
};

export const remove: Action = async (page, route, form) => {
  const guest = guestOf(page);
  try {
    await performForm(page, 'removeShare', guest, inputOf(form));
    return redirectTo(page, `/c/${route.checkoutId}`);
  } catch (error) {
    return sendRefusal(page, route, error, REFUSALS);
  }
};

/** The share, and what the page has said about it. */
function inputOf(form: URLSearchParams): Parameters<typeof performForm>[3] {
  return { body: {}, params: { share_id: form.get('share') ?? '' }, expectedVersion: form.get('seen') ?? '' };
}
