// One key: what it may do, its limits, and what can be done with it: change, roll with an overlap, revoke.

import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useAddressQuery } from '../../client/address-query.ts';
import type { Client } from '../../client/api.ts';
import { type Loaded, useLoad } from '../../client/load.ts';
import { mayDevelop } from '../../client/rights.ts';
import type { ScreenProps } from '../../screens.ts';
import { usePlace } from '../../session.ts';
import { useApiCall } from '../../shell/api-line.tsx';
import { Button, Id, Link, LinkButton } from '../../ui/controls.tsx';
import { ago, dateTime, zoneName } from '../../ui/format.ts';
import { Banner, Empty, LoadedPage, Page, Section } from '../../ui/parts.tsx';
import { Chip } from '../../ui/states.tsx';
import { ChangeKeyDialog, RevokeKeyDialog, RollKeyDialog } from './key-dialogs.tsx';
import { expiryOf, type Key, limitsOf, nameOf, unusedDays } from './key-words.ts';
import { Scopes } from './keys.tsx';

type DecisionName = 'change' | 'roll' | 'revoke';

/** Null: the venue has no such key in this mode. */
async function findKey(client: Client, id: string, signal: AbortSignal): Promise<Key | null> {
  for await (const key of client.console.listKeys({ limit: 100 }, { signal })) if (key.id === id) return key;
  return null;
}

export default function KeyScreen({ id = '' }: ScreenProps): JSX.Element {
  const { client } = usePlace();
  const key = useLoad((signal) => findKey(client, id, signal), [client, id]);
  useApiCall({
    method: 'GET',
    path: '/v1/me',
    scope: 'none',
    sdk: 'everyshare.me.retrieve()',
    reads: '/console/api/keys',
  });
  return (
    <LoadedPage loaded={key} title="Key">
      {(shown) =>
        shown === null ? (
          <Page title="Key">
            <Empty action={<LinkButton to="/keys">See the keys</LinkButton>}>There is no such key in this mode.</Empty>
          </Page>
        ) : (
          <KeyPage shown={shown} loaded={key} />
        )
      }
    </LoadedPage>
  );
}

function KeyPage({ shown, loaded }: { readonly shown: Key; readonly loaded: Loaded<Key | null> }): JSX.Element {
  const { venue } = usePlace();
  const wanted = useAddressQuery().get('do');
  const isActive = shown.status === 'active';
  const mayChange = mayDevelop(venue.role) && isActive;
  const [action, setAction] = useState<DecisionName | null>(mayChange && wanted === 'revoke' ? 'revoke' : null);
  const close = (isChanged: boolean): void => {
    setAction(null);
    if (isChanged) void loaded.reload();
  };
  const unused = unusedDays(shown);
  const color = isActive ? 'green' : shown.status === 'expired' ? 'amber' : 'neutral';
  return (
    <Page
      title={
        <>
          {nameOf(shown)}{' '}
          <Chip color={color}>{isActive ? 'Active' : shown.status === 'expired' ? 'Expired' : 'Revoked'}</Chip>
        </>
      }
      name={nameOf(shown)}
      lead={<Id id={shown.id} isWhole />}
      actions={
        mayChange && (
          <>
            <Button icon="pencil" onClick={() => setAction('change')}>
              Change…
            </Button>
            {shown.rolled_to === null && (
              <Button icon="turn" onClick={() => setAction('roll')}>
                Roll…
              </Button>
            )}
            <Button icon="stroke" onClick={() => setAction('revoke')}>
              Revoke…
            </Button>
          </>
        )
      }
    >
      {shown.rolled_to !== null && (
        <Banner color="amber" icon="turn" action={<Link to={`/keys/${shown.rolled_to}`}>See the new key</Link>}>
          <b>Rolled.</b>{' '}
          {isActive && shown.expires_at !== null
            ? `It works until ${dateTime(shown.expires_at)} ${zoneName()}: move to the new key before that.`
            : 'The new key has taken its place.'}
        </Banner>
      )}
      {unused !== null && (
        <Banner color="amber" icon="warning">
          <b>Not used for {unused} days.</b> If nothing needs it, revoke it.
        </Banner>
      )}
      <Section title="Details">
        <KeyDetails shown={shown} />
      </Section>
      {action === 'change' && <ChangeKeyDialog shown={shown} onClose={close} />}
      {action === 'roll' && <RollKeyDialog shown={shown} onClose={close} />}
      {action === 'revoke' && <RevokeKeyDialog shown={shown} onClose={close} />}
    </Page>
  );
}

function KeyDetails({ shown }: { readonly shown: Key }): JSX.Element {
  const expiry = expiryOf(shown);
  return (
    <dl class="facts">
      <dt>Key</dt>
      <dd>
        <code>{shown.hint}</code> {shown.kind === 'secret' ? 'Secret' : 'Publishable'}
      </dd>
      <dt>May do</dt>
      <dd>
        <Scopes shown={shown} areAll />
      </dd>
      <dt>Last used</dt>
      <dd>{shown.last_used_at === null ? 'never' : `${ago(shown.last_used_at)}, from ${shown.last_used_address}`}</dd>
      <dt>Expires</dt>
      <dd class={expiry.isSoon ? 'amber' : undefined}>
        {expiry.text}
        {shown.expires_at !== null && `, ${dateTime(shown.expires_at)} ${zoneName()}`}
      </dd>
      <dt>Allowed addresses</dt>
      <dd>{shown.allow_ips.length === 0 ? 'any' : shown.allow_ips.join(', ')}</dd>
      <dt>Limits</dt>
      <dd>{limitsOf(shown)}</dd>
      <dt>Made</dt>
      <dd>
        {dateTime(shown.created_at)} {zoneName()}
      </dd>
      {shown.revoked_at !== null && (
        <>
          <dt>Revoked</dt>
          <dd>
            {dateTime(shown.revoked_at)} {zoneName()}
          </dd>
        </>
      )}
      <dt>Calls</dt>
      <dd>
        <Link to={`/requests?key=${shown.id}`}>Requests with this key</Link>
      </dd>
    </dl>
  );
}
