// A new checkout: the call of a partner's server as a form, with the API's problems at their fields.

import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { useAction } from '../../client/action.ts';
import { useLoad } from '../../client/load.ts';
import { hrefOf, usePlace } from '../../session.ts';
import { showToast } from '../../shell/announce.tsx';
import { goTo } from '../../shell/go-to.ts';
import { Button, Link, TextField } from '../../ui/controls.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { money, parseMoney } from '../../ui/format.ts';
import { Failed } from '../../ui/parts.tsx';

const CURRENCY = 'usd';
/** The API's own words are about cents. */
const AMOUNT_PROBLEM = 'Send an amount from $1.00 to $999,999.99, such as 240.00.';
const DAY_MS = 24 * 3_600_000;
const POINTERS = [
  '/description',
  '/amount',
  '/party_size',
  '/pay_by',
  '/starts_at',
  '/return_url',
  '/external_booking_id',
];

/** As a field of the browser writes it, in the zone of the browser. */
function localTime(ms: number): string {
  const at = new Date(ms);
  return new Date(ms - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

const isoOf = (local: string): string => (local === '' ? '' : new Date(local).toISOString());

export function NewCheckoutDialog({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const { mode, client } = usePlace();
  const origins = useLoad((signal) => client.console.listOrigins({ signal }).then(({ data }) => data), [client]);
  const [description, setDescription] = useState('');
  const [amount, setAmount] = useState('');
  const [size, setSize] = useState('');
  const [payBy, setPayBy] = useState(() => localTime(Date.now() + DAY_MS));
  const [startsAt, setStartsAt] = useState('');
  const [booking, setBooking] = useState('');
  const [returnUrl, setReturnUrl] = useState('');
  const origin = origins.data?.find((one) => one.mode === mode)?.origin;
  useEffect(() => {
    if (origin !== undefined) setReturnUrl((before) => before || `${origin}/`);
  }, [origin]);
  const create = useAction(async () => {
    const { id } = await client.partner.checkouts.create({
      // What is not typed yet, or wrong, goes to the server as it is: its message belongs to the field.
      amount: parseMoney(amount, CURRENCY) ?? (amount as unknown as number),
      currency: CURRENCY,
      party_size: /^\d+$/.test(size) ? Number(size) : (size as unknown as number),
      pay_by: isoOf(payBy),
      description,
      return_url: returnUrl,
      external_booking_id: booking,
      ...(startsAt === '' ? {} : { starts_at: isoOf(startsAt) }),
    });
    showToast('The checkout is made.');
    onClose();
    goTo(hrefOf(`/checkouts/${id}`));
  });
  const total = parseMoney(amount, CURRENCY);
  const people = Number(size);
  const other = create.otherProblem(POINTERS);
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return (
    <Dialog
      title="New checkout"
      movesMoney
      onClose={onClose}
      onSubmit={() => void create.run()}
      note="Nothing is charged before every guest has held their share."
      buttons={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" isBusy={create.isBusy}>
            Make the checkout
          </Button>
        </>
      }
    >
      {other !== undefined && <Failed error={other} />}
      <TextField
        label="What for"
        value={description}
        onInput={setDescription}
        error={create.problemAt('/description')}
        hint="Every guest reads it."
        maxLength={200}
        isFocused
      />
      <div class="fields">
        <TextField
          label="Amount for the whole party"
          inputMode="decimal"
          placeholder="240.00"
          value={amount}
          onInput={setAmount}
          error={create.problemAt('/amount') && AMOUNT_PROBLEM}
          hint="In US dollars."
        />
        <TextField
          label="Guests, at most"
          inputMode="numeric"
          placeholder="6"
          value={size}
          onInput={setSize}
          error={create.problemAt('/party_size')}
          hint={
            total !== null && people >= 2 && people <= 50
              ? `About ${money(Math.round(total / people), CURRENCY)} each.`
              : '2 to 50 people share it.'
          }
        />
        <TextField
          label="Pay by"
          type="datetime-local"
          value={payBy}
          onInput={setPayBy}
          error={create.problemAt('/pay_by')}
          hint={`In the zone of this browser, ${zone}.`}
        />
        <TextField
          label="Starts"
          type="datetime-local"
          isOptional
          value={startsAt}
          onInput={setStartsAt}
          error={create.problemAt('/starts_at')}
          hint="When the booking itself starts."
        />
        <TextField
          label="Your booking id"
          value={booking}
          onInput={setBooking}
          error={create.problemAt('/external_booking_id')}
          hint="The same id never makes a second checkout."
        />
        <TextField
          label="Guests return to"
          type="url"
          value={returnUrl}
          onInput={setReturnUrl}
          error={create.problemAt('/return_url')}
          hint={
            <>
              On one of your <Link to="/origins">origins</Link>.
            </>
          }
        />
      </div>
    </Dialog>
  );
}
