// The forms with which a guest leaves the group, and with which the organizer removes a guest. Each runs its operation.

import { type Action, redirectTo, sendRefusal } from './actions.ts';
import { anonymousCallerOf, guestOf, type PageRequest, performForm } from './page-request.ts';

/** The page says what counts instead once all have paid, and what an organizer can do. */
const REFUSALS = { checkout_not_collecting: 'page.refused_all_paid', own_share: 'page.organizer_stays' };

/** A signed-in guest leaves with the own share. Without a sign-in the link of the invite is the proof. */
export const leave: Action = async (page, route, form) => {
  try {
    const { token } = page.request.params as { token?: string };
    if (page.member === null && token !== undefined)
      await performForm(page, 'declineInvite', anonymousCallerOf(page), { body: { token } });
    else await runOnShare(page, 'declineShare', form);
    return redirectTo(page, route.path);
  } catch (error) {
    return sendRefusal(page, route, error, REFUSALS);
  }
};

export const remove: Action = async (page, route, form) => {
  try {
    await runOnShare(page, 'removeShare', form);
    return redirectTo(page, `/c/${route.checkoutId}`);
  } catch (error) {
    return sendRefusal(page, route, error, REFUSALS);
  }
};

async function runOnShare(
  page: PageRequest,
  operation: 'declineShare' | 'removeShare',
  form: URLSearchParams,
): Promise<void> {
  const expectedVersion = form.get('seen') ?? '';
  const params = { share_id: form.get('share') ?? '' };
  await performForm(page, operation, guestOf(page), { body: {}, params, expectedVersion });
}
