// Cancels a checkout that is not funded yet, and lists the holds that this releases. One that was funded meanwhile can be
// refunded instead.

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
  /** The server refused: the checkout may be in another state than the page shows. */
  readonly onRefused: () => Promise<void>;
  /** Null: the checkout cannot be refunded, or not by this person. */
  readonly onRefund: (() => void) | null;
}

export const isCancelable = (status: Checkout['status']): boolean => status === 'open' || status === 'collecting';

export function CancelDialog({ checkout, onClose, onRefused, onRefund }: Props): JSX.Element {
  const { client } = usePlace();
  const { id, currency, description, shares } = checkout;
  const held = shares.filter(({ status }) => status === 'held');
  const total = held.reduce((sum, { amount }) => sum + amount, 0);
  const cancel = useAction(async () => {
    await client.partner.checkouts.cancel(id).catch(async (error) => {
      await onRefused();
      throw error;
    });
    showToast('The checkout is canceled.');
    await onClose(true);
  });
  if (!isCancelable(checkout.status))
    return <TooLate checkout={checkout} onClose={() => void onClose(true)} onRefund={onRefund} />;
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

interface TooLateProps extends Pick<Props, 'checkout' | 'onRefund'> {
  readonly onClose: () => void;
}

/** It left the states that can be canceled while the dialog was open. */
function TooLate({ checkout, onClose, onRefund }: TooLateProps): JSX.Element {
  const { status, description } = checkout;
  return (
    <Dialog
      title={`${description} can no longer be canceled`}
      movesMoney
      onClose={onClose}
      onSubmit={onRefund ?? onClose}
      buttons={
        <>
          <Button onClick={onClose}>Close</Button>
          {onRefund !== null && (
            <Button kind="primary" type="submit">
              Refund it instead…
            </Button>
          )}
        </>
      }
    >
      <p>{TOO_LATE[status]}</p>
    </Dialog>
  );
}

const TOO_LATE: Readonly<Partial<Record<Checkout['status'], string>>> = {
  funded: 'Every share is held, and the cards are being charged. When that is done, the checkout can be refunded.',
  completed: 'The guests have paid: the checkout is completed. They get money back by a refund.',
  expired: 'It has expired, and its holds are released. No card was charged.',
  canceled: 'It is canceled already, and its holds are released. No card was charged.',
};
