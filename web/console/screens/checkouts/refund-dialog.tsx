// Refunds a completed checkout. The preview is the server's own decision, to the cent; the refund asks for the sum that the
// button names, so that no rule of time changes it between the preview and the click.

import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Checkout, Refund } from '../../../../sdk/src/types.gen.ts';
import { useAction } from '../../client/action.ts';
import { type Loaded, useLoad } from '../../client/load.ts';
import type { RefundPreview } from '../../client/types.gen.ts';
import { usePlace } from '../../session.ts';
import { showToast } from '../../shell/announce.tsx';
import { Button, TextField } from '../../ui/controls.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { day, money, parseMoney } from '../../ui/format.ts';
import { Failed, messageOf, Shown, Table } from '../../ui/parts.tsx';

type Choice = 'left' | 'policy' | 'amount';

/** The refund that was asked for last, and its Idempotency-Key. */
export type LastRefund = { readonly body: string; readonly key: string } | null;

interface Props {
  readonly checkout: Checkout;
  readonly left: number;
  /** Kept by the page: after a lost answer the same refund has the same key, also when the dialog was closed meanwhile. */
  readonly lastRefund: { current: LastRefund };
  readonly onClose: (isChanged: boolean) => Promise<void>;
}

export function RefundDialog({ checkout, left, lastRefund, onClose }: Props): JSX.Element {
  const { client } = usePlace();
  const { id, currency, description } = checkout;
  const sum = (amount: number): string => money(amount, currency);
  const [choice, setChoice] = useState<Choice>('left');
  const [typed, setTyped] = useState('');
  const [reason, setReason] = useState('');
  const options = useLoad(
    (signal) => client.console.previewRefund(id, { amount: left }, { signal }).then((all) => all.options),
    [client, id, left],
  );
  const policy = options.data?.policy ?? null;
  useEffect(() => {
    if (policy !== null) setChoice('policy');
  }, [policy !== null]);
  const amount =
    choice === 'left' ? left : choice === 'policy' ? (policy?.amount ?? null) : parseMoney(typed, currency);
  const preview = usePreview(id, amount);
  const previewed = preview.data?.amount === amount ? preview.data : undefined;
  const refund = useAction(async () => {
    if (previewed === undefined) return;
    const body: Refund = { amount: previewed.amount, ...(reason.trim() === '' ? {} : { reason: reason.trim() }) };
    // A click after a lost answer repeats the same refund.
    const text = JSON.stringify(body);
    if (lastRefund.current?.body !== text) lastRefund.current = { body: text, key: crypto.randomUUID() };
    await client.partner.checkouts.refund(id, body, { idempotencyKey: lastRefund.current.key });
    lastRefund.current = null;
    showToast(`${sum(previewed.amount)} is being refunded.`);
    await onClose(true);
  });
  const other = refund.otherProblem(['/amount', '/reason']);
  /** Not while the answer is awaited. After a failure it is not known what was done: the page reads again. */
  const close = (): void => {
    if (!refund.isBusy) void onClose(refund.error !== undefined);
  };
  return (
    <Dialog
      title={`Refund ${description}`}
      isWide
      movesMoney
      onClose={close}
      onSubmit={() => void refund.run()}
      note="Banks take 5 to 10 days to show it. This cannot be undone."
      buttons={
        <>
          <Button isDisabled={refund.isBusy} onClick={close}>
            Keep it
          </Button>
          <Button kind="danger" type="submit" isBusy={refund.isBusy} isDisabled={previewed === undefined}>
            {previewed === undefined ? 'Refund' : `Refund ${sum(previewed.amount)}`}
          </Button>
        </>
      }
    >
      {other !== undefined && <Failed error={other} />}
      <p class="quiet">
        {sum(left)} of {sum(checkout.amount)} is left to refund.
      </p>
      <div class="refund">
        <div class="form">
          <fieldset class="choices">
            <legend class="unseen">How much</legend>
            <Option
              name="All that is left"
              value="left"
              detail="Guests get everything back"
              {...{ choice, setChoice }}
              figure={sum(left)}
            />
            {policy !== null && (
              <Option
                name="By your policy"
                value="policy"
                figure={sum(policy.amount)}
                detail={`${policy.percent} % back${
                  policy.hours_before === null ? '' : ` until ${policy.hours_before} h before the start`
                }, ${day(policy.starts_at)}${checkout.refunded_amount > 0 ? `, less the ${sum(checkout.refunded_amount)} refunded before` : ''}`}
                {...{ choice, setChoice }}
              />
            )}
            <Option name="Another amount" value="amount" detail={`Up to ${sum(left)}`} {...{ choice, setChoice }} />
          </fieldset>
          {choice === 'amount' && (
            <TextField
              label="Amount"
              inputMode="decimal"
              placeholder="0.00"
              value={typed}
              onInput={setTyped}
              error={amountProblem(typed, amount, preview, refund.problemAt('/amount'))}
              hint={`In ${currency.toUpperCase()}, such as 12.50`}
              isFocused
            />
          )}
          <TextField
            label="Reason (only your team sees it)"
            isOptional
            value={reason}
            onInput={setReason}
            maxLength={500}
            error={refund.problemAt('/reason')}
          />
        </div>
        <div aria-live="polite">
          {options.error !== undefined && <Failed error={options.error} onRetry={() => void options.reload()} />}
          {amount === null ? (
            <p class="quiet">Choose how much, and this shows what each guest gets back.</p>
          ) : (
            <PreviewShown preview={preview} isTyped={choice === 'amount'} />
          )}
        </div>
      </div>
    </Dialog>
  );
}

const TYPING_MS = 250;

/** What a refund of this amount would do; it is asked when the typing pauses. */
function usePreview(id: string, amount: number | null): Loaded<RefundPreview | undefined> {
  const { client } = usePlace();
  const [asked, setAsked] = useState(amount);
  useEffect(() => {
    const timer = setTimeout(() => setAsked(amount), TYPING_MS);
    return () => clearTimeout(timer);
  }, [amount]);
  return useLoad(
    async (signal) => (asked === null ? undefined : client.console.previewRefund(id, { amount: asked }, { signal })),
    [client, id, asked],
  );
}

function amountProblem(
  typed: string,
  amount: number | null,
  { error }: Loaded<unknown>,
  problem: string | null,
): string | null {
  if (typed.trim() !== '' && amount === null) return 'Send an amount with at most two decimals, such as 12.50.';
  if (amount !== null && error !== undefined) return messageOf(error);
  return problem;
}

interface OptionProps {
  readonly name: string;
  readonly value: Choice;
  readonly detail: string;
  readonly figure?: string;
  readonly choice: Choice;
  readonly setChoice: (choice: Choice) => void;
}

const Option = ({ name, value, detail, figure, choice, setChoice }: OptionProps): JSX.Element => (
  <label class={choice === value ? 'choice chosen' : 'choice'}>
    <input type="radio" name="how-much" checked={choice === value} onChange={() => setChoice(value)} />
    <span class="text">
      <b>{name}</b>
      <span class="quiet">{detail}</span>
    </span>
    {figure !== undefined && <b>{figure}</b>}
  </label>
);

interface PreviewProps {
  readonly preview: Loaded<RefundPreview | undefined>;
  /** A problem of a typed amount stands at its field. */
  readonly isTyped: boolean;
}

function PreviewShown({ preview, isTyped }: PreviewProps): JSX.Element {
  if (isTyped && preview.error !== undefined) return <p class="quiet">This amount cannot be refunded.</p>;
  return (
    <Shown loaded={preview} lines={6}>
      {(shown) => (shown === undefined ? <div class="still" /> : <Preview preview={shown} />)}
    </Shown>
  );
}

function Preview({ preview }: { readonly preview: RefundPreview }): JSX.Element {
  const { currency, shares, amount, paid, refunded_before, fee_returned, not_sent_yet, taken_back } = preview;
  const sum = (value: number): string => money(value, currency);
  const stillPaid = shares.reduce((total, { still_paid }) => total + still_paid, 0);
  return (
    <>
      <h3>What each guest gets back</h3>
      <Table
        caption="What each guest gets back"
        head={['Guest', '->Paid', '->Before', '>Now', '>Still paid']}
        foot={
          <tr>
            <td>Together</td>
            <td class="number wide-only">{sum(paid)}</td>
            <td class="number wide-only">{sum(refunded_before)}</td>
            <td class="number green">{sum(amount)}</td>
            <td class="number">{sum(stillPaid)}</td>
          </tr>
        }
      >
        {shares.map((share) => (
          <tr key={share.share_id}>
            <td>
              {share.display_name ?? 'A guest'} {share.is_disputed && <span class="chip red">Disputed: waits</span>}
            </td>
            <td class="number quiet wide-only">{sum(share.amount)}</td>
            <td class="number quiet wide-only">{sum(share.before)}</td>
            <td class="number green">
              <b>{sum(share.now)}</b>
            </td>
            <td class="number quiet">{sum(share.still_paid)}</td>
          </tr>
        ))}
      </Table>
      <dl class="sums sunk">
        {taken_back !== 0 && (
          <>
            <dt>Taken back from your payout</dt>
            <dd>{sum(taken_back)}</dd>
          </>
        )}
        {not_sent_yet !== 0 && (
          <>
            <dt>Taken from your payout before it is sent</dt>
            <dd>{sum(not_sent_yet)}</dd>
          </>
        )}
        <dt>Our fee, given back</dt>
        <dd>{sum(fee_returned)}</dd>
        <dt class="total">Guests get</dt>
        <dd class="total">{sum(amount)}</dd>
      </dl>
    </>
  );
}
