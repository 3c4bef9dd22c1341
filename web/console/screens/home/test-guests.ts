// Test guests pay a checkout, one after the other, so that a person sees each share become held.

import type { Resources } from '../../../../sdk/src/resources.gen.ts';

/** Repeating it goes on where it stopped. */
export async function payByTestGuests(api: Resources, id: string, onChange: () => Promise<void>): Promise<void> {
  const { checkouts } = api.testHelpers;
  const now = await api.checkouts.retrieve(id);
  const { shares } = now.status === 'open' ? await checkouts.collect(id) : now;
  await onChange();
  for (const share of shares) {
    if (share.status !== 'invited' && share.status !== 'failed') continue;
    await checkouts.hold(id, { share_id: share.id });
    await onChange();
  }
  await checkouts.complete(id);
  await onChange();
}
