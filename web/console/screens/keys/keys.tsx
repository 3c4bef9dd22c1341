// The keys of the venue in this mode: what each may do, when and from where it was last used, and which need attention.

import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { PageAnswer } from '../../../../sdk/src/page.ts';
import { useAddressQuery } from '../../client/address-query.ts';
import { useLoad } from '../../client/load.ts';
import { mayDevelop } from '../../client/rights.ts';
import { forgetTestKeyUnless } from '../../client/test-keys.ts';
import type { RequestSummary } from '../../client/types.gen.ts';
import { usePlace } from '../../session.ts';
import { useApiCall } from '../../shell/api-line.tsx';
import { useKeys } from '../../shell/shortcuts.tsx';
import { Button, Link, LinkButton } from '../../ui/controls.tsx';
import { ago, number } from '../../ui/format.ts';
import { Icon } from '../../ui/icon.tsx';
import { ListCsvButton } from '../../ui/list-csv-button.tsx';
import { Pages } from '../../ui/pages.tsx';
import { Banner, Empty, Failed, Page, Shown, Table } from '../../ui/parts.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { isKeyFound, keyColumns, MAX_SEARCHED, readKeys, totalOf } from './key-list.ts';
import { expiryOf, type Key, mayDo, nameOf, unusedDays } from './key-words.ts';
import { NewKeyDialog } from './new-key.tsx';
import { TurnedAway } from './turned-away.tsx';

const WEEK_MS = 7 * 24 * 3_600_000;
const weekAgo = (): string => new Date(Date.now() - WEEK_MS + 60_000).toISOString();

const STATES = [
  { id: '', name: 'Active', status: 'active' },
  { id: 'expired', name: 'Expired', status: 'expired' },
  { id: 'revoked', name: 'Revoked', status: 'revoked' },
] as const;

export default function KeysScreen(): JSX.Element {
  const { venue, mode, client } = usePlace();
  const address = useAddressQuery();
  const [isNew, setNew] = useState(false);
  const { id, status } = STATES.find((one) => one.id === address.get('status')) ?? STATES[0];
  const before = address.get('before');
  const query = { status, limit: 50, ...(before === '' ? {} : { before }) };
  const text = address.get('q');
  const isSearched = text.trim() !== '';
  const keys = useLoad(
    async (signal): Promise<PageAnswer<Key>> => {
      if (!isSearched) return (await client.console.listKeys(query, { signal })).answer;
      return { data: await readKeys(client, status, MAX_SEARCHED, { signal }), next_before: null };
    },
    [client, status, before, isSearched],
  );
  // A key that was revoked elsewhere, or has expired, is of no use in the snippets.
  useEffect(() => {
    const { data: active, next_before } = keys.data ?? {};
    const isWhole = next_before === null && before === '' && !isSearched;
    if (active === undefined || !isWhole || status !== 'active' || mode !== 'test') return;
    forgetTestKeyUnless(
      venue.id,
      active.map(({ hint }) => hint),
    );
  }, [keys.data]);
  // The request log keeps 7 days. The keys are shown without it too.
  const summary = useLoad((signal) => client.console.summarizeRequests({ from: weekAgo() }, { signal }), [client]);
  useApiCall({
    method: 'GET',
    path: '/v1/me',
    scope: 'none',
    sdk: 'everyshare.me.retrieve()',
    reads: '/console/api/keys',
  });
  const mayChange = mayDevelop(venue.role);
  useKeys(mayChange ? [{ key: 'n', name: 'new key', run: () => setNew(true) }] : []);
  return (
    <Page
      title="Keys"
      lead="A secret key is for your server. A publishable key only opens checkouts that your server made."
      actions={
        <>
          <LinkButton to="/audit?action=key." icon="shield">
            Audit log
          </LinkButton>
          <ListCsvButton
            name="keys"
            columns={keyColumns(summary.data)}
            rows={async (limit) => (await readKeys(client, status, limit)).filter((key) => isKeyFound(key, text))}
          />
          {mayChange && (
            <Button kind="primary" icon="plus" onClick={() => setNew(true)}>
              New key
            </Button>
          )}
        </>
      }
    >
      <nav class="chips" aria-label="State">
        {STATES.map((state) => (
          <Link key={state.id} isWhole to={address.hrefWith({ status: state.id })} class="" isCurrent={state.id === id}>
            {state.name}
          </Link>
        ))}
      </nav>
      <SearchField address={address} placeholder="Name, hint or id" />
      <Shown loaded={keys}>
        {({ data, next_before }) => (
          <>
            {mayChange && <UnusedBanner keys={data} />}
            {data.length === 0 ? (
              <NoKeys status={status} mode={mode} onNew={mayChange ? () => setNew(true) : null} />
            ) : (
              <KeysTable keys={data.filter((key) => isKeyFound(key, text))} summary={summary.data} />
            )}
            {isSearched && data.length === MAX_SEARCHED && (
              <p class="quiet">The newest {number(MAX_SEARCHED)} keys are searched.</p>
            )}
            <Pages address={address} nextBefore={next_before} />
          </>
        )}
      </Shown>
      {summary.data !== undefined && <TurnedAway summary={summary.data} />}
      {summary.error !== undefined && <Failed error={summary.error} onRetry={() => void summary.reload()} />}
      <p class="quiet foot-note">
        Roll a key to get a new secret with an overlap of your choice. Revoking counts at once. Both are in the audit
        log.
      </p>
      {isNew && (
        <NewKeyDialog
          onClose={(isMade) => {
            setNew(false);
            if (isMade) void keys.reload();
          }}
        />
      )}
    </Page>
  );
}

function UnusedBanner({ keys }: { readonly keys: readonly Key[] }): JSX.Element | null {
  const key = keys.find((one) => unusedDays(one) !== null);
  if (key === undefined) return null;
  return (
    <Banner
      color="amber"
      icon="warning"
      action={
        <Link to={`/keys/${key.id}?do=revoke`} class="button quiet">
          Revoke…
        </Link>
      }
    >
      <b>
        “{nameOf(key)}” was not used for {unusedDays(key)} days and may do {mayDo(key).join(', ')}.
      </b>{' '}
      If nothing needs it, revoke it.
    </Banner>
  );
}

function NoKeys({
  status,
  mode,
  onNew,
}: {
  readonly status: string;
  readonly mode: string;
  readonly onNew: (() => void) | null;
}): JSX.Element {
  if (status !== 'active') return <Empty>No key of this venue is {status}.</Empty>;
  return (
    <Empty
      action={
        onNew !== null && (
          <Button icon="plus" onClick={onNew}>
            New key
          </Button>
        )
      }
      snippet={`curl "${location.origin}/v1/me" \\\n  -H "Authorization: Bearer $EVERYSHARE_KEY"`}
    >
      No {mode} key yet. A key is how your server calls the API.
    </Empty>
  );
}

const HEAD = [
  'Name',
  '-Kind',
  '-Key',
  '-May do',
  '-Last used',
  'Expires',
  '-Allowed addresses',
  '->Requests, 7 d',
] as const;

interface TableProps {
  readonly keys: readonly Key[];
  readonly summary: RequestSummary | undefined;
}

function KeysTable({ keys, summary }: TableProps): JSX.Element {
  if (keys.length === 0) return <Empty>No key matches the search.</Empty>;
  return (
    <Table caption="Keys" head={HEAD}>
      {keys.map((key) => (
        <KeyRow key={key.id} shown={key} total={summary && totalOf(summary, key.id)} />
      ))}
    </Table>
  );
}

interface RowProps {
  readonly shown: Key;
  /** Undefined: not read yet. */
  readonly total: number | undefined;
}

function KeyRow({ shown, total }: RowProps): JSX.Element {
  const expiry = expiryOf(shown);
  const isUnused = unusedDays(shown) !== null;
  return (
    <tr>
      <td>
        <Link to={`/keys/${shown.id}`} class="row-link">
          <b>{nameOf(shown)}</b>
        </Link>
        {shown.rolled_to !== null && <span class="chip amber">Rolled</span>}
        <small class="phone-only">
          {shown.hint} · {mayDo(shown).join(', ')}
        </small>
      </td>
      <td class="wide-only">{shown.kind === 'secret' ? 'Secret' : 'Publishable'}</td>
      <td class="wide-only">
        <code>{shown.hint}</code>
      </td>
      <td class="wide-only">
        <Scopes shown={shown} />
      </td>
      <td class="wide-only">
        {shown.last_used_at === null ? (
          <span class={isUnused ? 'amber' : 'quiet'}>never</span>
        ) : (
          <span class={isUnused ? 'amber' : undefined}>
            {ago(shown.last_used_at)} <code class="quiet">{shown.last_used_address}</code>
          </span>
        )}
      </td>
      <td class="edge">
        <span class={expiry.isSoon ? 'state amber' : 'quiet'}>
          {expiry.isSoon && <Icon name="clock" label="Soon" />} {expiry.text}
        </span>
      </td>
      <td class="wide-only quiet">{shown.allow_ips.length === 0 ? 'any' : shown.allow_ips.slice(0, 2).join(', ')}</td>
      <td class="wide-only number">{total !== undefined && number(total)}</td>
    </tr>
  );
}

const MAX_SHOWN_SCOPES = 2;

export function Scopes({ shown, areAll }: { readonly shown: Key; readonly areAll?: boolean }): JSX.Element {
  const list = mayDo(shown);
  if (!list[0]?.includes(':')) return <span class="quiet">{list[0] ?? 'nothing'}</span>;
  const cut = areAll === true ? list.length : MAX_SHOWN_SCOPES;
  return (
    <span class="scopes">
      {list.slice(0, cut).map((scope) => (
        <code key={scope} class="scope">
          {scope}
        </code>
      ))}
      {list.length > cut && <span class="quiet">and {list.length - cut} more</span>}
    </span>
  );
}
