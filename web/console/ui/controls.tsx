// Buttons, links, fields and copying. A field's error replaces its hint, and is named by `aria-describedby`.

import type { ComponentChildren, JSX } from 'preact';
import { useId, useState } from 'preact/hooks';
import { hrefOf } from '../session.ts';
import { announce, showToast } from '../shell/announce.tsx';
import { shortId } from './format.ts';
import { Icon, type IconName } from './icon.tsx';

interface ButtonProps {
  readonly children: ComponentChildren;
  readonly icon?: IconName;
  /** `primary` once in a view; `danger` only in the dialog that does it. */
  readonly kind?: 'primary' | 'plain' | 'quiet' | 'danger';
  readonly type?: 'button' | 'submit';
  readonly isBusy?: boolean;
  readonly isDisabled?: boolean;
  /** The shortcut that does the same. */
  readonly shortcut?: string;
  readonly label?: string;
  readonly onClick?: (event: MouseEvent) => void;
}

export function Button({
  children,
  icon,
  kind = 'plain',
  type = 'button',
  isBusy,
  isDisabled,
  shortcut,
  label,
  onClick,
}: ButtonProps): JSX.Element {
  return (
    <button
      class={`button ${kind}`}
      type={type}
      disabled={isDisabled === true || isBusy === true}
      aria-busy={isBusy === true}
      aria-label={label}
      {...(onClick === undefined ? {} : { onClick })}
    >
      {icon !== undefined && <Icon name={icon} />}
      <span>{children}</span>
      {shortcut !== undefined && <kbd>{shortcut}</kbd>}
    </button>
  );
}

interface LinkProps {
  /** A screen of this venue and mode, `/checkouts`; with `isWhole` an address. */
  readonly to: string;
  readonly isWhole?: boolean;
  readonly class?: string;
  readonly isExternal?: boolean;
  readonly isCurrent?: boolean;
  readonly label?: string;
  readonly children: ComponentChildren;
}

export function Link({ to, isWhole, isExternal, isCurrent, label, children, ...rest }: LinkProps): JSX.Element {
  const external = isExternal === true ? { target: '_blank', rel: 'noopener' } : {};
  return (
    <a
      href={isWhole === true ? to : hrefOf(to)}
      class={rest.class ?? 'link'}
      aria-current={isCurrent === true ? 'page' : undefined}
      aria-label={label}
      {...external}
    >
      {children}
    </a>
  );
}

/** A link that looks like a button. */
export function LinkButton({
  icon,
  kind = 'plain',
  children,
  ...link
}: LinkProps & { readonly icon?: IconName; readonly kind?: 'primary' | 'plain' }): JSX.Element {
  return (
    <Link {...link} class={`button ${kind}`}>
      {icon !== undefined && <Icon name={icon} />}
      <span>{children}</span>
    </Link>
  );
}

interface FieldProps {
  readonly label: string;
  readonly hint?: ComponentChildren;
  /** Null: the value is right, as far as is known. */
  readonly error?: string | null;
  readonly isOptional?: boolean;
  readonly children: (input: {
    readonly id: string;
    readonly 'aria-describedby': string;
    readonly 'aria-invalid': boolean;
  }) => JSX.Element;
}

export function Field({ label, hint, error = null, isOptional, children }: FieldProps): JSX.Element {
  const id = useId();
  const hintId = `${id}-hint`;
  return (
    <div class={error === null ? 'field' : 'field wrong'}>
      <label for={id}>
        {label} {isOptional === true && <span class="optional">(optional)</span>}
      </label>
      {children({ id, 'aria-describedby': hintId, 'aria-invalid': error !== null })}
      <div class="hint" id={hintId}>
        {error === null ? (
          hint
        ) : (
          <span class="error">
            <Icon name="alert" /> {error}
          </span>
        )}
      </div>
    </div>
  );
}

interface TextFieldProps extends Omit<FieldProps, 'children'> {
  readonly value: string;
  readonly onInput: (value: string) => void;
  readonly type?: 'text' | 'email' | 'url' | 'date' | 'datetime-local' | 'search' | 'password';
  readonly placeholder?: string;
  readonly autocomplete?: string;
  readonly inputMode?: 'text' | 'numeric' | 'decimal' | 'email' | 'url';
  readonly maxLength?: number;
  readonly class?: string;
  readonly isFocused?: boolean;
  readonly rows?: number;
}

export function TextField({ value, onInput, type = 'text', isFocused, rows, ...rest }: TextFieldProps): JSX.Element {
  const { label, hint, error, isOptional, ...input } = rest;
  const set = (event: Event): void => onInput((event.currentTarget as HTMLInputElement).value);
  const focus = (element: HTMLElement | null): void => {
    if (isFocused === true && element !== null && element.dataset.focused === undefined) {
      element.dataset.focused = '';
      element.focus();
    }
  };
  return (
    <Field label={label} hint={hint} error={error ?? null} isOptional={isOptional === true}>
      {(names) =>
        rows === undefined ? (
          <input {...names} {...input} ref={focus} type={type as 'text'} value={value} onInput={set} />
        ) : (
          <textarea {...names} {...input} ref={focus} rows={rows} value={value} onInput={set} />
        )
      }
    </Field>
  );
}

interface Choice {
  readonly value: string;
  readonly label: string;
}

export function SelectField({
  value,
  choices,
  onChange,
  ...field
}: Omit<FieldProps, 'children'> & {
  readonly value: string;
  readonly choices: readonly Choice[];
  readonly onChange: (value: string) => void;
}): JSX.Element {
  return (
    <Field {...field}>
      {(names) => (
        <select {...names} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
          {choices.map((choice) => (
            <option key={choice.value} value={choice.value}>
              {choice.label}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

const COPIED_MS = 2_000;

/** Answers by a tick for two seconds, and tells screen readers. */
export function Copy({
  text,
  label,
  children,
}: {
  readonly text: string;
  readonly label: string;
  readonly children?: ComponentChildren;
}): JSX.Element {
  const [isCopied, setCopied] = useState(false);
  const copy = async (event: Event): Promise<void> => {
    event.preventDefault();
    event.stopPropagation();
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      // Over plain http from another machine, or refused by the person.
      return showToast('The browser does not let this page copy. Select the text, and copy it yourself.', true);
    }
    announce('Copied.');
    setCopied(true);
    setTimeout(() => setCopied(false), COPIED_MS);
  };
  const icon = <Icon name={isCopied ? 'check' : 'copy'} />;
  if (children === undefined)
    return (
      <button type="button" class="copy" aria-label={label} title={label} onClick={copy}>
        {icon}
      </button>
    );
  return (
    <button type="button" class="button plain" onClick={copy}>
      {icon}
      <span>{isCopied ? 'Copied' : children}</span>
    </button>
  );
}

/** Short in tables, whole in headers; always with a button that copies the whole. */
export function Id({ id, isWhole }: { readonly id: string; readonly isWhole?: boolean }): JSX.Element {
  return (
    <span class="id">
      <code title={id}>{isWhole === true ? id : shortId(id)}</code>
      <Copy text={id} label={`Copy ${id}`} />
    </span>
  );
}
