// A new key: its name, what it may do by preset and then by scope, when it ends, and from where it works. Then its text, once.

import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useAction } from '../../client/action.ts';
import { mayGiveScope } from '../../client/rights.ts';
import { keepTestKey } from '../../client/test-keys.ts';
import type { CreatedApiKey } from '../../client/types.gen.ts';
import { usePlace } from '../../session.ts';
import { showToast } from '../../shell/announce.tsx';
import { Button, TextField } from '../../ui/controls.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Failed } from '../../ui/parts.tsx';
import { SecretDialog } from '../../ui/secret.tsx';
import { AddressesField, ExpiryField } from './key-fields.tsx';
import {
  EXPIRIES,
  expiresAfter,
  nameOf,
  PRESETS,
  type Preset,
  SCOPES,
  type Scope,
  splitAddresses,
} from './key-words.ts';

const POINTERS = ['/name', '/scopes', '/expires_at', '/allow_ips'];

export function NewKeyDialog({ onClose }: { readonly onClose: (isMade: boolean) => void }): JSX.Element {
  const { venue, mode, client } = usePlace();
  const [name, setName] = useState('');
  const [kind, setKind] = useState<'secret' | 'publishable'>('secret');
  const presets = PRESETS.filter((preset) => preset.scopes.every((scope) => mayGiveScope(venue.role, scope)));
  const [scopes, setScopes] = useState<readonly Scope[]>(presets[0]?.scopes ?? []);
  const [expiry, setExpiry] = useState(mode === 'live' ? '90' : 'never');
  const [addresses, setAddresses] = useState('');
  const [made, setMade] = useState<CreatedApiKey | null>(null);
  const isChoosing = mode === 'live' && kind === 'secret';
  const make = useAction(async () => {
    const created = await client.console.createKey({
      kind,
      name: name.trim() === '' ? null : name.trim(),
      expires_at: expiresAfter(EXPIRIES.find(({ id }) => id === expiry)?.days ?? null),
      allow_ips: splitAddresses(addresses),
      ...(isChoosing ? { scopes } : {}),
    });
    if (created.kind === 'secret' && created.mode === 'test') keepTestKey(venue.id, created.key);
    showToast('The key is made.');
    setMade(created);
  });
  if (made !== null) return <KeySecret made={made} onDone={() => onClose(true)} />;
  const other = make.otherProblem(POINTERS);
  return (
    <Dialog
      title={`New ${mode} key`}
      movesMoney
      onClose={() => onClose(false)}
      onSubmit={() => void make.run()}
      note={mode === 'live' ? 'Asks for a fresh proof that it is you.' : 'A test key moves no real money.'}
      buttons={
        <>
          <Button onClick={() => onClose(false)}>Cancel</Button>
          <Button kind="primary" type="submit" isBusy={make.isBusy}>
            Make the key
          </Button>
        </>
      }
    >
      {other !== undefined && <Failed error={other} />}
      <TextField
        label="Name"
        value={name}
        onInput={setName}
        error={make.problemAt('/name')}
        hint="Where it will live. You will see it in every log line."
        placeholder="Booking server"
        maxLength={100}
        isFocused
      />
      <fieldset class="presets">
        <legend class="legend">Where is it used?</legend>
        <Choice
          name="kind"
          title="On a server"
          text="Secret: it may do what you choose"
          isChosen={kind === 'secret'}
          onChoose={() => setKind('secret')}
        />
        <Choice
          name="kind"
          title="In a page or an app"
          text="Publishable: opens checkouts, nothing else"
          isChosen={kind === 'publishable'}
          onChoose={() => setKind('publishable')}
        />
      </fieldset>
      {isChoosing && (
        <ScopesField
          presets={presets}
          offered={SCOPES.filter((scope) => mayGiveScope(venue.role, scope))}
          scopes={scopes}
          onChange={setScopes}
          error={make.problemAt('/scopes')}
        />
      )}
      {mode === 'test' && kind === 'secret' && (
        <p class="hint">A test key may do everything. A live key gets the scopes that you choose.</p>
      )}
      <div class="halves">
        <ExpiryField value={expiry} onChange={setExpiry} error={make.problemAt('/expires_at')} />
        <AddressesField value={addresses} onInput={setAddresses} error={make.problemAt('/allow_ips')} />
      </div>
    </Dialog>
  );
}

interface ChoiceProps {
  readonly name: string;
  readonly title: string;
  readonly text: string;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
}

function Choice({ name, title, text, isChosen, onChoose }: ChoiceProps): JSX.Element {
  return (
    <label class={isChosen ? 'preset chosen' : 'preset'}>
      <input type="radio" name={name} checked={isChosen} onChange={onChoose} />
      <span>
        <b>{title}</b>
        <small>{text}</small>
      </span>
    </label>
  );
}

interface ScopesProps {
  readonly presets: readonly Preset[];
  /** The scopes that the role may give. */
  readonly offered: readonly Scope[];
  readonly scopes: readonly Scope[];
  readonly onChange: (scopes: readonly Scope[]) => void;
  readonly error: string | null;
}

function ScopesField({ presets, offered, scopes, onChange, error }: ScopesProps): JSX.Element {
  const [preset, setPreset] = useState(presets[0]?.id ?? '');
  const toggle = (scope: Scope): void => {
    setPreset('choose');
    onChange(scopes.includes(scope) ? scopes.filter((one) => one !== scope) : [...scopes, scope]);
  };
  return (
    <fieldset class="presets">
      <legend class="legend">What may it do?</legend>
      {presets.map((one) => (
        <Choice
          key={one.id}
          name="preset"
          title={one.name}
          text={one.text}
          isChosen={preset === one.id}
          onChoose={() => {
            setPreset(one.id);
            if (one.id !== 'choose') onChange(one.scopes);
          }}
        />
      ))}
      <div class="switches" role="group" aria-label="Scopes">
        {offered.map((scope) => (
          <button
            key={scope}
            type="button"
            class="scope"
            aria-pressed={scopes.includes(scope)}
            onClick={() => toggle(scope)}
          >
            {scopes.includes(scope) && <Icon name="check" size={12} />}
            {scope}
          </button>
        ))}
      </div>
      {offered.length < SCOPES.length && (
        <p class="hint">A key with checkouts:write can refund, so an owner of the venue makes it.</p>
      )}
      {error !== null && (
        <p class="hint error">
          <Icon name="alert" /> {error}
        </p>
      )}
    </fieldset>
  );
}

/** The text of a key, once: after it is made, and after it is rolled. */
export function KeySecret({
  made,
  onDone,
}: {
  readonly made: CreatedApiKey;
  readonly onDone: () => void;
}): JSX.Element {
  const isSecret = made.kind === 'secret';
  const name = isSecret ? 'EVERYSHARE_KEY' : 'EVERYSHARE_PUBLISHABLE_KEY';
  return (
    <SecretDialog
      title={`${nameOf(made)} is ready`}
      secrets={[{ label: made.kind === 'secret' ? 'Secret key' : 'Publishable key', value: made.key }]}
      snippets={{
        '.env': `${name}=${made.key}`,
        ...(isSecret
          ? { 'Try it': `curl "${location.origin}/v1/me" \\\n  -H "Authorization: Bearer ${made.key}"` }
          : {}),
      }}
      advice={
        isSecret ? (
          <>
            Keep it where you keep passwords. Never in a browser, an app or a repository. From now on we show only{' '}
            <code>{made.hint}</code>.
          </>
        ) : (
          <>
            It may stand in a page of yours: it works from your origins alone. From now on we show only{' '}
            <code>{made.hint}</code>.
          </>
        )
      }
      onDone={onDone}
    />
  );
}
