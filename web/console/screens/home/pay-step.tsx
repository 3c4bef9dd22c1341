// The second step: open the checkout and pay as a guest, or let test guests pay.

import type { JSX } from 'preact';
import { useAction } from '../../client/action.ts';
import { mayChangeCheckouts, mayDevelop } from '../../client/rights.ts';
import { usePlace } from '../../session.ts';
import { Button, Copy, Id, Link, LinkButton } from '../../ui/controls.tsx';
import { dateTime, money } from '../../ui/format.ts';
import { Icon, type IconName } from '../../ui/icon.tsx';
import { Failed } from '../../ui/parts.tsx';
import { State, StateChip } from '../../ui/states.tsx';
import { type StepProps, useFirstCheckout } from './key-step.tsx';
import { Step } from './step.tsx';
import { payByTestGuests } from './test-guests.ts';

type StepCheckout = NonNullable<StepProps['data']['hold']['checkout']>;

export function PayStep({ data, reload, isCurrent }: StepProps): JSX.Element {
  const { done, at, checkout } = data.hold;
  if (done)
    return (
      <Step
        number={2}
        title="Open the checkout and pay as a guest"
        isDone
        isCurrent={false}
        aside={
          checkout !== null && (
            <>
              <Link to={`/checkouts/${checkout.id}`}>{checkout.description}</Link>:{' '}
              {money(checkout.funded_amount, checkout.currency)}, every share held
              {at !== null && ` ${dateTime(at)}`}
            </>
          )
        }
      />
    );
  return (
    <Step
      number={2}
      title="Open the checkout and pay as a guest"
      isDone={false}
      isCurrent={isCurrent}
      aside="ticks when every share is held"
    >
      {checkout !== null && <CheckoutCard checkout={checkout} />}
      <PayButtons checkout={checkout} hasRequest={data.request.done} reload={reload} />
      <TestCards />
    </Step>
  );
}

const WORDS = ['no', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'eleven', 'twelve'];

interface ButtonsProps {
  readonly checkout: StepCheckout | null;
  readonly hasRequest: boolean;
  readonly reload: () => Promise<void>;
}

function PayButtons({ checkout, hasRequest, reload }: ButtonsProps): JSX.Element {
  const { venue, client } = usePlace();
  const body = useFirstCheckout(`bk-${Date.now().toString(36)}`);
  const pay = useAction(async () => {
    if (checkout !== null) await payByTestGuests(client.partner, checkout.id, reload);
  });
  const another = useAction(async () => {
    await client.partner.checkouts.create(body);
    await reload();
  });
  const guests = WORDS[checkout?.party_size ?? 6] ?? checkout?.party_size;
  return (
    <>
      {pay.error !== undefined && <Failed error={pay.error} />}
      {another.error !== undefined && <Failed error={another.error} />}
      <div class="line">
        {checkout !== null && (
          <LinkButton to={checkout.url} isWhole isExternal icon="out" kind="primary">
            Open checkout
          </LinkButton>
        )}
        {mayDevelop(venue.role) && (
          <Button icon="people" isBusy={pay.isBusy} isDisabled={checkout === null} onClick={() => void pay.run()}>
            Let {guests} test guests pay
          </Button>
        )}
        {checkout === null && !hasRequest && <span class="quiet">The link appears here with your first checkout.</span>}
        {checkout === null && hasRequest && mayChangeCheckouts(venue.role) && (
          <>
            <Button icon="plus" isBusy={another.isBusy} onClick={() => void another.run()}>
              Make another checkout
            </Button>
            <span class="quiet">Your checkout has ended before it was paid.</span>
          </>
        )}
      </div>
    </>
  );
}

function CheckoutCard({ checkout }: { readonly checkout: StepCheckout }): JSX.Element {
  const { id, description, status, amount, currency, funded_amount, held, shares, party_size } = checkout;
  return (
    <div class="checkout-card">
      <header>
        <div>
          <b>{description}</b> <StateChip kind="checkout" state={status} />
          <div>
            <Id id={id} />
          </div>
        </div>
        <div class="number">
          <b>{money(amount, currency)}</b>
          <div class="quiet">
            {money(funded_amount, currency)} held, {held} of {shares.length === 0 ? party_size : shares.length}
          </div>
        </div>
      </header>
      {shares.length === 0 ? (
        <p class="quiet">
          The organizer chooses the party on the guest page. Sign in there as +1 555 010 0001 with the code 000000.
        </p>
      ) : (
        <ul class="share-list">
          {shares.map((share) => (
            <li key={share.id}>
              <span>{share.display_name ?? 'A guest'}</span>
              <span class="quiet">{money(share.amount, currency)}</span>
              <State kind="share" state={share.status} />
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

const CARDS: readonly (readonly [string, string, IconName, string])[] = [
  ['4242 4242 4242 4242', 'works', 'check', 'green'],
  ['4000 0000 0000 0002', 'declined', 'cross', 'red'],
  ['4000 0000 0000 9995', 'no funds', 'cross', 'red'],
  ['4000 0027 6000 3184', '3-D Secure', 'shield', 'blue'],
];

const TestCards = (): JSX.Element => (
  <div class="test-cards">
    <span class="quiet">Test cards</span>
    <ul>
      {CARDS.map(([number, outcome, icon, color], i) => (
        <li key={number}>
          <code>{i === 0 ? number : `… ${number.slice(-4)}`}</code>{' '}
          <span class={`state ${color}`}>
            <Icon name={icon} /> {outcome}
          </span>
          <Copy text={number.replaceAll(' ', '')} label={`Copy the card number ${number}`} />
        </li>
      ))}
    </ul>
    <a class="link" href="/docs/guides/testing#cards">
      All of them
    </a>
  </div>
);
