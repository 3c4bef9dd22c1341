// Whether the books are right: the accounts of the ledger at its last check, and the last comparisons with the processor.

import type { JSX } from 'preact';
import { useAction } from '../client/action.ts';
import type { MoneyHealth } from '../client/types.gen.ts';
import { showToast } from '../shell/announce.tsx';
import { Button } from '../ui/controls.tsx';
import { count, dateTime, money } from '../ui/format.ts';
import { Icon } from '../ui/icon.tsx';
import { Banner, Empty, Failed, Section, Table } from '../ui/parts.tsx';
import { desk, mayMoveMoney } from './session.ts';

interface BooksProps {
  readonly health: MoneyHealth;
  readonly onDone: () => Promise<void>;
}

export function Books({ health, onDone }: BooksProps): JSX.Element {
  return (
    <div class="desk-books">
      <Accounts health={health} />
      <Reconciles health={health} onDone={onDone} />
    </div>
  );
}

function Accounts({ health: { books, accounts } }: { readonly health: MoneyHealth }): JSX.Element {
  const currencies = [...new Set(accounts.map(({ currency }) => currency))];
  return (
    <Section title="The books" aside={<span class="quiet">{books === null ? '' : dateTime(books.at)}</span>}>
      {books === null && <Empty snippet="npx everyshare ledger check">The ledger was not checked yet.</Empty>}
      {books !== null && (
        <CheckLine check={books} right="It adds up and agrees with what happened." command="ledger check" />
      )}
      {accounts.length > 0 && (
        <Table caption="Accounts of the ledger" head={['Account', '>Debit', '>Credit']}>
          {accounts.map(({ account, balance, currency: of }) => (
            <tr key={`${account} ${of}`}>
              <td>
                <code>{account}</code>
              </td>
              <td class="number">{balance > 0 ? money(balance, of) : ''}</td>
              <td class="number">{balance < 0 ? money(-balance, of) : ''}</td>
            </tr>
          ))}
          {currencies.map((currency) => (
            <Together key={currency} currency={currency} balances={balancesOf(accounts, currency)} />
          ))}
        </Table>
      )}
    </Section>
  );
}

const balancesOf = (accounts: MoneyHealth['accounts'], of: string): number[] =>
  accounts.filter(({ currency }) => currency === of).map(({ balance }) => balance);

/** The two sides of one currency. They are equal, or money is missing: then both are red. */
function Together({
  currency,
  balances,
}: {
  readonly currency: string;
  readonly balances: readonly number[];
}): JSX.Element {
  const debits = balances.reduce((sum, balance) => sum + Math.max(0, balance), 0);
  const credits = balances.reduce((sum, balance) => sum - Math.min(0, balance), 0);
  const color = debits === credits ? '' : ' red';
  return (
    <tr class="total">
      <td>
        <b>Together</b>
      </td>
      <td class={`number${color}`}>{money(debits, currency)}</td>
      <td class={`number${color}`}>{money(credits, currency)}</td>
    </tr>
  );
}

function Reconciles({ health: { mode, reconciles, reconcile }, onDone }: BooksProps): JSX.Element {
  const start = useAction(async () => {
    await desk.requestReconcile({ mode });
    showToast('A worker compares with the processor now.');
    await onDone();
  });
  const button = mayMoveMoney() && (
    <Button isBusy={start.isBusy} onClick={() => void start.run()}>
      Reconcile now
    </Button>
  );
  return (
    <Section title="Reconcile" aside={button || <span class="quiet">every 6 hours</span>}>
      {start.error !== undefined && <Failed error={start.error} />}
      {reconcile === null && (
        <Empty snippet="npx everyshare reconcile">The processor’s records were not compared yet.</Empty>
      )}
      {reconcile !== null && (
        <CheckLine check={reconcile} right="The processor’s records and ours agree." command="reconcile" />
      )}
      <ul class="reconciles">
        {reconciles.map((run) => (
          <li key={run.at}>
            <span class={`state ${run.differences === 0 ? 'green' : 'red'}`}>
              <Icon name={run.differences === 0 ? 'check' : 'alert'} /> {dateTime(run.at)}
            </span>{' '}
            {count(run.compared, 'payment')} compared, {count(run.differences, 'difference')}
            {run.settled > 0 && `; ${run.settled} settled`}
            {run.findings.map((finding) => (
              <div key={finding} class="quiet">
                {finding}
              </div>
            ))}
          </li>
        ))}
      </ul>
    </Section>
  );
}

function CheckLine(props: {
  readonly check: NonNullable<MoneyHealth['books']>;
  readonly right: string;
  readonly command: string;
}): JSX.Element {
  const { check, right, command } = props;
  if (check.differences > 0)
    return (
      <Banner color="red" icon="alert">
        <b>{count(check.differences, 'difference')}</b> at {dateTime(check.at)}. Stop what moves money by hand, and read{' '}
        <code>npx everyshare {command}</code>.
      </Banner>
    );
  if (check.is_old)
    return (
      <Banner color="amber" icon="warning">
        <b>Not checked since {dateTime(check.at)}.</b> It was right then. Look under Health whether a worker runs, or
        run <code>npx everyshare {command}</code>.
      </Banner>
    );
  return (
    <p>
      <span class="state green">
        <Icon name="check" /> {dateTime(check.at)}
      </span>{' '}
      {right}
    </p>
  );
}
