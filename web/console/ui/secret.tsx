// A secret that is shown once: the field, a copy button, and a box to tick before the dialog can be closed.

import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Button, Copy, Field } from './controls.tsx';
import { Dialog } from './dialog.tsx';
import { Banner, Snippet } from './parts.tsx';

export interface ShownOnce {
  readonly label: string;
  readonly value: string;
}

interface Props {
  readonly title: string;
  readonly secrets: readonly ShownOnce[];
  /** Where it belongs, and what is shown from now on. */
  readonly advice: ComponentChildren;
  /** How it is used, by the name of its tab. */
  readonly snippets?: Readonly<Record<string, string>>;
  readonly onDone: () => void;
}

export function SecretDialog({ title, secrets, advice, snippets = {}, onDone }: Props): JSX.Element {
  const [isStored, setStored] = useState(false);
  const [isLeaving, setLeaving] = useState(false);
  const names = Object.keys(snippets);
  const [tab, setTab] = useState(names[0] ?? '');
  return (
    <Dialog
      title={title}
      isLocked={!isStored}
      onRefused={() => setLeaving(true)}
      onClose={onDone}
      onSubmit={() => isStored && onDone()}
      note={
        <label class="check">
          <input type="checkbox" checked={isStored} onChange={(event) => setStored(event.currentTarget.checked)} /> I’ve
          stored it
        </label>
      }
      buttons={
        <Button kind="primary" type="submit" isDisabled={!isStored}>
          Done
        </Button>
      }
    >
      <p>This is the only time you see {secrets.length === 1 ? 'it' : 'them'} whole.</p>
      {secrets.map((secret) => (
        <SecretField key={secret.label} {...secret} />
      ))}
      {isLeaving && !isStored && (
        <p class="red" role="alert">
          It is not shown again. Copy it, and tick “I’ve stored it”, before you leave.
        </p>
      )}
      {names.length > 0 && (
        <div>
          {names.length > 1 && (
            <div class="tab-list" role="group" aria-label="How to use it">
              {names.map((name) => (
                <button key={name} type="button" aria-pressed={tab === name} onClick={() => setTab(name)}>
                  {name}
                </button>
              ))}
            </div>
          )}
          <Snippet text={snippets[tab] ?? ''} label={`Copy ${tab}`} />
        </div>
      )}
      <Banner color="amber" icon="lock">
        {advice}
      </Banner>
    </Dialog>
  );
}

function SecretField({ label, value }: ShownOnce): JSX.Element {
  return (
    <Field label={label}>
      {(names) => (
        <div class="secret">
          <input
            {...names}
            type="text"
            readOnly
            value={value}
            spellcheck={false}
            onFocus={(event) => event.currentTarget.select()}
          />
          <Copy text={value} label={`Copy ${label}`}>
            Copy
          </Copy>
        </div>
      )}
    </Field>
  );
}
