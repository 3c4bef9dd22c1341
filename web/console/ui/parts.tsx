// The parts of screens: headings, figures, tables, empty and failed states, grey lines while data is read.

import type { ComponentChildren, JSX } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { codeOf, isApiError } from '../client/api.ts';
import type { Loaded } from '../client/load.ts';
import { Button, Copy } from './controls.tsx';
import { moneyParts } from './format.ts';
import { Icon, type IconName } from './icon.tsx';

interface PageProps {
  readonly title: ComponentChildren;
  /** For the window's title, where `title` is no text. */
  readonly name?: string;
  readonly lead?: ComponentChildren;
  readonly actions?: ComponentChildren;
  /** Forms and checklists: 920 pixels, centred. */
  readonly isNarrow?: boolean;
  readonly children: ComponentChildren;
}

let isTitleAwaited = false;

/** After navigation the next page that is shown gets the focus at its title. */
export function focusNextTitle(): void {
  isTitleAwaited = true;
}

export function Page({ title, name, lead, actions, isNarrow, children }: PageProps): JSX.Element {
  const heading = useRef<HTMLHeadingElement>(null);
  document.title = `${name ?? (typeof title === 'string' ? title : 'Console')} · Everyshare`;
  // The page with data takes the place of the one that waited, and with it the focus that was in its title.
  useLayoutEffect(() => {
    const isLost = document.activeElement === null || document.activeElement === document.body;
    if (isTitleAwaited || isLost) heading.current?.focus({ preventScroll: true });
    isTitleAwaited = false;
  }, []);
  return (
    <div class={isNarrow === true ? 'page narrow' : 'page'}>
      <header class="page-head">
        <div>
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {lead !== undefined && <p class="lead">{lead}</p>}
        </div>
        {actions !== undefined && <div class="actions">{actions}</div>}
      </header>
      {children}
    </div>
  );
}

export function Section({
  title,
  aside,
  children,
}: {
  readonly title: ComponentChildren;
  readonly aside?: ComponentChildren;
  readonly children: ComponentChildren;
}): JSX.Element {
  return (
    <section class="section">
      <header>
        <h2>{title}</h2>
        {aside !== undefined && <div class="aside">{aside}</div>}
      </header>
      {children}
    </section>
  );
}

export function Stat({
  icon,
  label,
  amount,
  currency,
  figure,
  note,
}: {
  readonly icon?: IconName;
  readonly label: string;
  readonly amount?: number;
  readonly currency?: string;
  /** Instead of an amount. */
  readonly figure?: string;
  readonly note: ComponentChildren;
}): JSX.Element {
  const [whole, cents] = amount === undefined ? [figure ?? '–', ''] : moneyParts(amount, currency ?? 'usd');
  return (
    <div class="stat">
      <dt>
        {icon !== undefined && <Icon name={icon} />} {label}
      </dt>
      <dd class="figure">
        {whole}
        <span class="cents">{cents}</span>
      </dd>
      <dd class="note">{note}</dd>
    </div>
  );
}

export const Stats = ({ children }: { readonly children: ComponentChildren }): JSX.Element => (
  <dl class="stats">{children}</dl>
);

/** A table in a box that scrolls sideways by itself; `caption` is for screen readers. */
export function Table({
  caption,
  head,
  children,
  foot,
}: {
  readonly caption: string;
  /** A column that begins with `>` has numbers, to the right; one that begins with `-` is not shown on a phone. */
  readonly head: readonly string[];
  readonly children: ComponentChildren;
  readonly foot?: ComponentChildren;
}): JSX.Element {
  return (
    <div class="table" tabIndex={0} role="region" aria-label={caption}>
      <table>
        <caption class="unseen">{caption}</caption>
        <thead>
          <tr>
            {head.map((name) => (
              <th key={name} scope="col" class={headClass(name)}>
                {name === '' ? <span class="unseen">Actions</span> : name.replace(/^-?>?/, '')}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
        {foot !== undefined && <tfoot>{foot}</tfoot>}
      </table>
    </div>
  );
}

const headClass = (name: string): string =>
  `${/^-?>/.test(name) ? 'number' : ''} ${name.startsWith('-') ? 'wide-only' : ''}`;

export function Empty({
  children,
  action,
  snippet,
}: {
  readonly children: ComponentChildren;
  readonly action?: ComponentChildren;
  readonly snippet?: string;
}): JSX.Element {
  return (
    <div class="empty">
      <p>{children}</p>
      {action}
      {snippet !== undefined && <Snippet text={snippet} label="Copy the call" />}
    </div>
  );
}

export function Snippet({ text, label }: { readonly text: string; readonly label: string }): JSX.Element {
  return (
    <div class="snippet">
      <pre tabIndex={0}>{text}</pre>
      <Copy text={text} label={label} />
    </div>
  );
}

/** Lines of the final height, so that nothing moves when the data comes. */
export const Waiting = ({ lines = 6 }: { readonly lines?: number }): JSX.Element => (
  <div class="waiting" aria-hidden="true">
    {Array.from({ length: lines }, (_, i) => (
      <i key={i} />
    ))}
  </div>
);

/** What went wrong, in words; the rest of the screen stays. */
export function Failed({ error, onRetry }: { readonly error: unknown; readonly onRetry?: () => void }): JSX.Element {
  const isForbidden = codeOf(error) === 'role_not_allowed';
  const requestId = isApiError(error) ? error.requestId : null;
  return (
    <div class="failed" role="alert">
      <Icon name={isForbidden ? 'lock' : 'alert'} />
      <div>
        <p>{messageOf(error)}</p>
        {requestId !== null && (
          <p class="quiet">
            Request <code>{requestId}</code> <Copy text={requestId} label="Copy the request id" />
          </p>
        )}
      </div>
      {onRetry !== undefined && !isForbidden && <Button onClick={onRetry}>Try again</Button>}
    </div>
  );
}

export function messageOf(error: unknown): string {
  if (isApiError(error)) return error.message;
  if (error instanceof Error && /Connection|Timeout/.test(error.name))
    return 'The server cannot be reached. Check your connection; nothing was changed twice.';
  return 'Something failed in this page. Reload it, and tell us if it happens again.';
}

/** Shows data, grey lines while it is read, or what went wrong. */
export function Shown<T>({
  loaded,
  lines,
  children,
}: {
  readonly loaded: Loaded<T>;
  readonly lines?: number;
  readonly children: (data: T) => JSX.Element;
}): JSX.Element {
  const { data, error, isSlow, reload } = loaded;
  if (error !== undefined && data === undefined) return <Failed error={error} onRetry={() => void reload()} />;
  if (data === undefined)
    return isSlow ? <Waiting {...(lines === undefined ? {} : { lines })} /> : <div class="still" />;
  return (
    <>
      {error !== undefined && <Failed error={error} onRetry={() => void reload()} />}
      {children(data)}
    </>
  );
}

/** A page whose title comes with its data: until then, and where it cannot be read, it has this one. */
export function LoadedPage<T>({
  loaded,
  title,
  isNarrow,
  children,
}: {
  readonly loaded: Loaded<T>;
  readonly title: string;
  readonly isNarrow?: boolean;
  readonly children: (data: T) => JSX.Element;
}): JSX.Element {
  if (loaded.data !== undefined) return <Shown loaded={loaded}>{children}</Shown>;
  return (
    <Page title={title} isNarrow={isNarrow === true}>
      <Shown loaded={loaded} lines={8}>
        {() => <></>}
      </Shown>
    </Page>
  );
}

/** A line across the page that says what needs a person. */
export function Banner({
  color,
  icon,
  action,
  children,
}: {
  readonly color: 'amber' | 'red' | 'blue' | 'green';
  readonly icon: IconName;
  readonly action?: ComponentChildren;
  readonly children: ComponentChildren;
}): JSX.Element {
  return (
    <div class={`banner ${color}`}>
      <Icon name={icon} />
      <div class="text">{children}</div>
      {action}
    </div>
  );
}
