// Cancels a checkout that is not funded yet, and lists the holds that this releases.

import type { JSX } from 'preact';
import type { Checkout } from '../../../../sdk/src/types.gen.ts';
import { useAction } from '../../client/action.ts';
import { usePlace } from '../../session.ts';
import { showToast } from '../../shell/announce.tsx';
import { Button } from '../../ui/controls.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { count, money } from '../../ui/format.ts';
import { Failed, Table } from '../../ui/parts.tsx';

interface Props {
  readonly checkout: Checkout;
  readonly onClose: (isChanged: boolean) => Promise<void>;
}

export function CancelDialog({ checkout, onClose }: Props): JSX.Element {
  const { client } = usePlace();
  const { id, currency, description, shares } = checkout;
  const held = shares.filter(({ status }) => status === 'held');
  const total = held.reduce((sum, { amount }) => sum + amount, 0);
  const cancel = useAction(async () => {
    await client.partner.checkouts.cancel(id);
    showToast('The checkout is canceled.');
    await onClose(true);
  });
  return (
    <Dialog
      title={`Cancel ${description}?`}
      movesMoney
      onClose={() => void onClose(false)}
      onSubmit={() => void cancel.run()}
      note="No card is charged. This cannot be undone."
      buttons={
        <>
          <Button onClick={() => void onClose(false)}>Keep it</Button>
          <Button kind="danger" type="submit" isBusy={cancel.isBusy}>
            {held.length === 0 ? 'Cancel the checkout' : `Cancel and release ${money(total, currency)}`}
          </Button>
        </>
      }
    >
      {cancel.error !== undefined && <Failed error={cancel.error} />}
      {held.length === 0 ? (
        <p>No money is held yet. Guests who open the page read that it was canceled.</p>
      ) : (
        <>
          <p>{count(held.length, 'hold')} will be released, and the guests can use that money again:</p>
          <Table
            caption="Holds that will be released"
            head={['Guest', '>Held']}
            foot={
              <tr>
                <td>Together</td>
                <td class="number">{money(total, currency)}</td>
              </tr>
            }
          >
            {held.map(({ id: shareId, display_name, amount }) => (
              <tr key={shareId}>
                <td>{display_name ?? 'A guest'}</td>
                <td class="number">{money(amount, currency)}</td>
              </tr>
            ))}
          </Table>
        </>
      )}
    </Dialog>
  );
}
