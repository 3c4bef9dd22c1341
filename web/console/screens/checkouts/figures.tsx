// The figures of one checkout: four sums, the shares, the money as lines that add up, and details.

import type { ComponentChildren, JSX } from 'preact';
import type { Checkout } from '../../../../sdk/src/types.gen.ts';
import type { CheckoutMoney, CheckoutTimeline } from '../../client/types.gen.ts';
import { Copy, Id, Link } from '../../ui/controls.tsx';
import { count, dateTime, day, money as moneyText, span, zoneName } from '../../ui/format.ts';
import { Section, Stat, Stats, Table } from '../../ui/parts.tsx';
import { Chip, Pips, State } from '../../ui/states.tsx';
import { isLiving, partyColor } from './party.ts';

interface Props {
  readonly checkout: Checkout;
  readonly money: CheckoutMoney;
}

const PAID: readonly string[] = ['held', 'captured', 'refunded'];
const paidShares = ({ shares }: Checkout): number => shares.filter(({ status }) => PAID.includes(status)).length;

export function CheckoutFigures({ checkout, money }: Props): JSX.Element {
  return checkout.status === 'completed' ? (
    <CompletedFigures checkout={checkout} money={money} />
  ) : (
    <LivingFigures checkout={checkout} />
  );
}

function CompletedFigures({ checkout, money }: Props): JSX.Element {
  const { currency, shares } = checkout;
  const { fee, net, refunded, left_to_refund, paid_out, to_come, payout } = money;
  const sum = (amount: number): string => moneyText(amount, currency);
  const paidNote =
    payout === null || payout.sent_at === null
      ? `${sum(to_come)} on its way`
      : `sent ${day(payout.sent_at)}${to_come === 0 ? '' : `, ${sum(to_come)} to come`}`;
  return (
    <Stats>
      <Stat
        label="Amount"
        amount={checkout.amount}
        currency={currency}
        note={`${count(shares.length, 'share')} charged`}
      />
      <Stat label="Net to you" amount={net} currency={currency} note={`after the fee of ${sum(fee)}`} />
      <Stat
        label="Refunded"
        amount={refunded}
        currency={currency}
        note={`${sum(left_to_refund)} can still be refunded`}
      />
      <Stat label="Paid out" amount={paid_out} currency={currency} note={paidNote} />
    </Stats>
  );
}

function LivingFigures({ checkout }: Pick<Props, 'checkout'>): JSX.Element {
  const { amount, currency, shares, funded_amount, pay_by, status, party_size } = checkout;
  const leftMs = Date.parse(pay_by) - Date.now();
  const isOver = !isLiving(status);
  const held = isOver ? 0 : funded_amount;
  return (
    <Stats>
      <Stat label="Amount" amount={amount} currency={currency} note={`for up to ${count(party_size, 'guest')}`} />
      <Stat
        label="Held on cards"
        icon="lock"
        amount={held}
        currency={currency}
        note={
          isOver
            ? 'nothing was charged'
            : `${paidShares(checkout)} of ${count(shares.length, 'share')}, not charged yet`
        }
      />
      <Stat
        label="Missing"
        amount={isOver ? 0 : amount - held}
        currency={currency}
        note={
          shares.length === 0 ? 'the party is not chosen yet' : count(shares.length - paidShares(checkout), 'share')
        }
      />
      <Stat
        label="Pay by"
        icon="clock"
        figure={isOver || leftMs <= 0 ? '–' : span(leftMs)}
        note={`${dateTime(pay_by)} ${zoneName()}`}
      />
    </Stats>
  );
}

export function Shares({ checkout, money }: Props): JSX.Element {
  const { status, currency } = checkout;
  const isCompleted = status === 'completed';
  const hasLost = money.lost_to_disputes > 0;
  const sum = (amount: number): string => moneyText(amount, currency);
  const heldAt = new Map(checkout.shares.map(({ id, held_at }) => [id, held_at]));
  const hasRefunds = money.refunded > 0;
  const head = ['Guest', 'State', '-Held', '>Share'];
  if (isCompleted)
    head.push('->Fee', ...(hasRefunds ? ['->Refunded'] : []), ...(hasLost ? ['->Disputed'] : []), '->To you');
  const total = money.shares.reduce((all, { amount }) => all + amount, 0);
  return (
    <Section
      title={
        <span class="with-pips">
          Shares{' '}
          {money.shares.length > 0 && (
            <Pips
              held={paidShares(checkout)}
              failed={checkout.shares.filter(({ status: state }) => state === 'failed').length}
              total={money.shares.length}
              look={partyColor(status)}
            />
          )}
        </span>
      }
    >
      {money.shares.length === 0 ? (
        <p class="quiet">The organizer has not chosen the party yet. Their shares are listed here when they have.</p>
      ) : (
        <Table
          caption="Shares"
          head={head}
          foot={
            <tr>
              <td>{isCompleted ? `${count(money.shares.length, 'guest')} charged` : 'Together'}</td>
              <td />
              <td class="wide-only" />
              <td class="number">{sum(total)}</td>
              {isCompleted && (
                <>
                  <td class="number wide-only">{sum(money.fee_returned - money.fee)}</td>
                  {hasRefunds && <td class="number wide-only">{sum(-money.refunded)}</td>}
                  {hasLost && <td class="number wide-only">{sum(-money.lost_to_disputes)}</td>}
                  <td class="number wide-only">{sum(money.kept)}</td>
                </>
              )}
            </tr>
          }
        >
          {money.shares.map((share) => {
            const held = heldAt.get(share.share_id) ?? null;
            return (
              <tr key={share.share_id}>
                <td>
                  {share.display_name ?? <span class="quiet">Name not known yet</span>}{' '}
                  {share.is_organizer && <Chip>Organizer</Chip>}{' '}
                  <span class="wide-only">
                    <Copy text={share.share_id} label={`Copy ${share.share_id}`} />
                  </span>
                </td>
                <td>
                  <State kind="share" state={share.status} />
                  {status === 'funded' && share.status === 'held' && <small class="note"> waits for the bank</small>}
                </td>
                <td class="quiet wide-only held-at">{held === null ? '–' : dateTime(held)}</td>
                <td class="number">{sum(share.amount)}</td>
                {isCompleted && (
                  <>
                    <td class="number quiet wide-only">{sum(share.fee_returned - share.fee)}</td>
                    {hasRefunds && <td class="number quiet wide-only">{sum(-share.refunded)}</td>}
                    {hasLost && <td class="number quiet wide-only">{sum(-share.lost)}</td>}
                    <td class="number wide-only">
                      <b>{sum(share.kept)}</b>
                    </td>
                  </>
                )}
              </tr>
            );
          })}
        </Table>
      )}
    </Section>
  );
}

/** Every line that is not zero; each sum is the one before with the lines between. */
export function MoneyLines({ money }: Pick<Props, 'money'>): JSX.Element {
  const { currency, shares, paid, fee, net, refunded, lost_to_disputes, fee_returned, kept } = money;
  const { paid_out, to_come, settled_debts, owed } = money;
  const line = (label: ComponentChildren, amount: number, isTotal = false): JSX.Element => (
    <>
      <dt class={isTotal ? 'total' : 'quiet'}>{label}</dt>
      <dd class={isTotal ? 'total' : 'quiet'}>{moneyText(amount, currency)}</dd>
    </>
  );
  if (paid === 0)
    return (
      <Section title="Money">
        <p class="quiet">Nothing is charged before every share is held. Then each card is charged its share.</p>
      </Section>
    );
  return (
    <Section title="Money">
      <dl class="sums">
        {line(`Paid by ${count(shares.length, 'guest')}`, paid)}
        {line('Everyshare fee', -fee)}
        {line('Net to you', net, true)}
        {refunded !== 0 && line('Refunded to guests', -refunded)}
        {lost_to_disputes !== 0 && line('Lost to disputes', -lost_to_disputes)}
        {fee_returned !== 0 && line('Fee given back', fee_returned)}
        {line('You keep', kept, true)}
        {line('Paid out', paid_out)}
        {to_come !== 0 && line(to_come > 0 ? 'On its way to you' : 'Still to be taken back', to_come)}
        {settled_debts !== 0 && line('Settled what you owed', settled_debts)}
        {owed !== 0 && line('You owe, settled by later payouts', -owed)}
      </dl>
    </Section>
  );
}

interface DetailsProps {
  readonly checkout: Checkout;
  readonly money: CheckoutMoney | undefined;
  readonly timeline: CheckoutTimeline | undefined;
}

export function Details({ checkout, money, timeline }: DetailsProps): JSX.Element {
  const { offering_external_id, pay_by, starts_at, location, metadata, created_at } = checkout;
  const creator = timeline?.data.find(({ kind }) => kind === 'checkout.created')?.actor;
  const lines: [string, ComponentChildren][] = [
    ['Created', `${dateTime(created_at)}`],
    ['Pay by', `${dateTime(pay_by)}`],
  ];
  if (starts_at !== null) lines.push(['Starts', dateTime(starts_at)]);
  if (location !== null) lines.push(['Place', location]);
  if (offering_external_id !== null)
    lines.push([
      'Offering',
      <Link key="offering" to={`/catalogue/offering/${encodeURIComponent(offering_external_id)}`}>
        {offering_external_id}
      </Link>,
    ]);
  if (creator?.type === 'key')
    lines.push([
      'Key',
      <Link key="key" to={`/keys/${creator.id}`}>
        {creator.name ?? 'without a name'}
      </Link>,
    ]);
  if (creator?.type === 'person') lines.push(['Created by', creator.name ?? 'a person of your team']);
  if (money?.payout != null) lines.push(['Payout', <Id key="payout" id={money.payout.id} />]);
  for (const [name, value] of Object.entries(metadata))
    lines.push([`metadata.${name}`, <code key={name}>{value}</code>]);
  return (
    <Section title="Details" aside={`Times in ${zoneName()}`}>
      <dl class="sums">
        {lines.map(([label, value]) => (
          <>
            <dt class="quiet">{label}</dt>
            <dd>{value}</dd>
          </>
        ))}
      </dl>
    </Section>
  );
}
