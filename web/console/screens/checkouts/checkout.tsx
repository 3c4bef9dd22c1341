// One checkout: its shares, money that adds up, details, events with their deliveries, and everything that happened to it.

import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Checkout } from '../../../../sdk/src/types.gen.ts';
import { useAction } from '../../client/action.ts';
import { type Loaded, useLoad } from '../../client/load.ts';
import { POLLS } from '../../client/polls.ts';
import { mayChangeCheckouts, mayDevelop, mayRefund } from '../../client/rights.ts';
import type { CheckoutMoney, CheckoutTimeline } from '../../client/types.gen.ts';
import type { ScreenProps } from '../../screens.ts';
import { usePlace } from '../../session.ts';
import { showToast } from '../../shell/announce.tsx';
import { useApiCall } from '../../shell/api-line.tsx';
import { type ScreenKey, useKeys } from '../../shell/shortcuts.tsx';
import { Button, Copy, Id, LinkButton } from '../../ui/controls.tsx';
import { count, day, money as moneyText } from '../../ui/format.ts';
import { Banner, Failed, Page, Shown } from '../../ui/parts.tsx';
import { Chip, StateChip } from '../../ui/states.tsx';
import { CancelDialog, isCancelable } from './cancel-dialog.tsx';
import { Events } from './events.tsx';
import { CheckoutFigures, Details, MoneyLines, Shares } from './figures.tsx';
import { isLiving } from './party.ts';
import { type LastRefund, RefundDialog } from './refund-dialog.tsx';
import { Timeline } from './timeline.tsx';
import { reasonWords } from './timeline-words.ts';

export default function CheckoutScreen({ id = '' }: ScreenProps): JSX.Element {
  const { client } = usePlace();
  const [isFinal, setFinal] = useState(false);
  const poll = isFinal ? POLLS.endedCheckout.ended : POLLS.checkout.living;
  const checkout = useLoad((signal) => client.partner.checkouts.retrieve(id, { signal }), [client, id], poll);
  const money = useLoad((signal) => client.console.getCheckoutMoney(id, { signal }), [client, id]);
  const timeline = useLoad(
    (signal) => client.console.getCheckoutTimeline(id, { signal }),
    [client, id],
    POLLS.checkout.timeline,
  );
  useApiCall({
    method: 'GET',
    path: `/v1/checkouts/${id}`,
    scope: 'checkouts:read',
    sdk: `everyshare.checkouts.retrieve('${id}')`,
    tool: { name: 'get_checkout', arguments: { id } },
  });
  const { data } = checkout;
  const version = data && `${data.status} ${data.funded_amount} ${data.refunded_amount} ${data.shares.length}`;
  useEffect(() => {
    if (data === undefined) return;
    setFinal(!isLiving(data.status));
    void money.reload();
    void timeline.reload();
  }, [version]);
  if (data === undefined)
    return (
      <Page title="Checkout">
        <Shown loaded={checkout} lines={8}>
          {() => <></>}
        </Shown>
      </Page>
    );
  return <CheckoutPage checkout={data} failure={checkout.error} reload={checkout.reload} {...{ money, timeline }} />;
}

interface Props {
  readonly checkout: Checkout;
  readonly failure: unknown;
  readonly reload: () => Promise<void>;
  readonly money: Loaded<CheckoutMoney>;
  readonly timeline: Loaded<CheckoutTimeline>;
}

function CheckoutPage({ checkout, failure, reload, money, timeline }: Props): JSX.Element {
  const [open, setOpen] = useState<'refund' | 'cancel' | null>(null);
  const lastRefund = useRef<LastRefund>(null);
  const { venue } = usePlace();
  const left = money.data?.left_to_refund ?? 0;
  const canRefund = mayRefund(venue.role) && checkout.status === 'completed' && left > 0;
  const canCancel = mayChangeCheckouts(venue.role) && isCancelable(checkout.status);
  const keys: ScreenKey[] = canRefund ? [{ key: 'r', name: 'refund', run: () => setOpen('refund') }] : [];
  useKeys(keys);
  const close = async (isChanged: boolean): Promise<void> => {
    setOpen(null);
    if (isChanged) await Promise.all([reload(), money.reload(), timeline.reload()]);
  };
  return (
    <Page
      name={checkout.description}
      title={<Title checkout={checkout} />}
      lead={<Subtitle checkout={checkout} />}
      actions={
        <>
          <TestGuestsButton checkout={checkout} onDone={reload} />
          <LinkButton to={checkout.url} isWhole isExternal icon="out">
            Guest page
          </LinkButton>
          {canRefund && (
            <Button icon="back" shortcut="R" onClick={() => setOpen('refund')}>
              Refund…
            </Button>
          )}
          {canCancel && (
            <Button icon="stroke" onClick={() => setOpen('cancel')}>
              Cancel checkout…
            </Button>
          )}
        </>
      }
    >
      {failure !== undefined && <Failed error={failure} onRetry={() => void reload()} />}
      <Notices checkout={checkout} />
      <Shown loaded={money} lines={3}>
        {(sums) => <CheckoutFigures checkout={checkout} money={sums} />}
      </Shown>
      <div class="columns">
        <div>
          <Shown loaded={money} lines={6}>
            {(sums) => <Shares checkout={checkout} money={sums} />}
          </Shown>
          <div class="halves">
            <Shown loaded={money} lines={4}>
              {(sums) => <MoneyLines money={sums} />}
            </Shown>
            <Details checkout={checkout} money={money.data} timeline={timeline.data} />
          </div>
          <Events checkoutId={checkout.id} timeline={timeline} />
        </div>
        <Shown loaded={timeline} lines={10}>
          {(history) => <Timeline timeline={history} currency={checkout.currency} />}
        </Shown>
      </div>
      {open === 'refund' && <RefundDialog lastRefund={lastRefund} checkout={checkout} left={left} onClose={close} />}
      {open === 'cancel' && (
        <CancelDialog
          checkout={checkout}
          onClose={close}
          onRefused={reload}
          onRefund={canRefund ? () => setOpen('refund') : null}
        />
      )}
    </Page>
  );
}

function Title({ checkout }: { readonly checkout: Checkout }): JSX.Element {
  const { description, starts_at, status, amount, refunded_amount } = checkout;
  return (
    <span class="checkout-title">
      <span>
        {description}
        {starts_at !== null && <span class="quiet">, {day(starts_at)}</span>}
      </span>{' '}
      <StateChip kind="checkout" state={status} />
      {refunded_amount > 0 && (
        <Chip color="violet" icon="back">
          {refunded_amount === amount ? 'Refunded' : `${percent(refunded_amount, amount)} % refunded`}
        </Chip>
      )}
    </span>
  );
}

/** Never 0 or 100 for a part. */
const percent = (part: number, whole: number): number => Math.min(99, Math.max(1, Math.round((part * 100) / whole)));

function Subtitle({ checkout }: { readonly checkout: Checkout }): JSX.Element {
  const organizer = checkout.shares.find(({ is_organizer }) => is_organizer)?.display_name;
  return (
    <span class="checkout-names">
      <Id id={checkout.id} isWhole />
      <span>
        Booking <b>{checkout.external_booking_id}</b>
      </span>
      <span>
        {organizer == null ? '' : `${organizer}, `}
        {checkout.shares.length === 0
          ? `up to ${count(checkout.party_size, 'guest')}`
          : count(checkout.shares.length, 'guest')}
      </span>
    </span>
  );
}

/** What a person should know before they read on. */
function Notices({ checkout }: { readonly checkout: Checkout }): JSX.Element {
  const { status, disputes, currency, cancellation_reason, failed_refund_amount } = checkout;
  const open = disputes.filter(({ status: state }) => !/^(won|lost|warning_closed|prevented)$/.test(state));
  return (
    <>
      {status === 'open' && (
        <Banner
          color="blue"
          icon="people"
          action={
            <Copy text={checkout.url} label="Copy the organizer’s link">
              Copy the organizer’s link
            </Copy>
          }
        >
          The party is not chosen yet. Send the organizer this link: they choose who shares the{' '}
          {moneyText(checkout.amount, currency)}.
        </Banner>
      )}
      {status === 'funded' && (
        <Banner color="blue" icon="turn">
          Every share is held, and the cards are being charged. {waitingCards(checkout)}
        </Banner>
      )}
      {cancellation_reason !== null && (
        <Banner color="amber" icon="stroke">
          Canceled: {reasonWords(cancellation_reason)}.
        </Banner>
      )}
      {failed_refund_amount > 0 && (
        <Banner color="red" icon="refused">
          {moneyText(failed_refund_amount, currency)} of the refunds did not reach the guests. We pay it again, or in
          another way.
        </Banner>
      )}
      {open.map(({ id, amount, reason, opened_at }) => (
        <Banner key={id} color="red" icon="flag">
          A guest disputes {moneyText(amount, currency)} since {day(opened_at)}: {reasonWords(reason)}. The money is
          held back until their bank decides.
        </Banner>
      ))}
    </>
  );
}

/** Which cards are not charged yet, by the names of their guests. */
function waitingCards({ shares }: Checkout): string {
  const waiting = shares.filter(({ status }) => status === 'held');
  const charged = `${shares.length - waiting.length} of ${count(shares.length, 'card')} charged.`;
  const names = waiting.map(({ display_name }) => display_name ?? 'a guest').join(', ');
  return `${charged} Still waiting for the bank: ${names}. We try again by ourselves; nothing is charged twice.`;
}

interface TestGuestsProps {
  readonly checkout: Checkout;
  readonly onDone: () => Promise<void>;
}

/** In test mode guests can be had without phones. */
function TestGuestsButton({ checkout, onDone }: TestGuestsProps): JSX.Element | null {
  const { venue, client, mode } = usePlace();
  const pay = useAction(async () => {
    const { status } = await client.partner.testHelpers.checkouts.complete(checkout.id);
    showToast(`The test guests paid: the checkout is ${status}.`);
    await onDone();
  });
  const isOffered = mode === 'test' && mayDevelop(venue.role) && isLiving(checkout.status);
  if (!isOffered) return null;
  return (
    <>
      {pay.error !== undefined && <Failed error={pay.error} />}
      <Button icon="people" isBusy={pay.isBusy} onClick={() => void pay.run()}>
        Let test guests pay
      </Button>
    </>
  );
}
