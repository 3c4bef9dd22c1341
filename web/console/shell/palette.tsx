// Search and jump: pages by name, objects by their id, checkouts by what the list finds.

import { signal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { hrefOf } from '../session.ts';
import { Icon, type IconName } from '../ui/icon.tsx';
import { goTo } from './go-to.ts';
import { EVERYWHERE } from './navigation.ts';

const isShown = signal(false);

export function openPalette(): void {
  isShown.value = true;
}

export interface Hit {
  readonly group: string;
  readonly icon: IconName;
  readonly title: string;
  readonly detail?: string;
  readonly href: string;
}

/** Finds objects that match what is typed; a part of the console that knows some adds itself. */
export type Finder = (text: string, signal: AbortSignal) => Promise<readonly Hit[]>;
const finders: Finder[] = [];
export function addFinder(finder: Finder): void {
  finders.push(finder);
}

/** Where an id leads, by its prefix. The ids of shares and payouts are found by the search for checkouts. */
const PREFIXES: readonly (readonly [RegExp, string, string, IconName])[] = [
  [/^chk_\w+$/, 'Checkout', '/checkouts/', 'receipt'],
  [/^evt_\w+$/, 'Event', '/events/', 'bolt'],
  [/^req_\w+$/, 'Request', '/requests/', 'lines'],
  [/^key_\w+$/, 'Key', '/keys/', 'key'],
];

function known(text: string): Hit[] {
  const typed = text.trim();
  const ids = PREFIXES.filter(([pattern]) => pattern.test(typed)).map(([, name, to, icon]) => ({
    group: 'Open',
    icon,
    title: name,
    detail: typed,
    href: hrefOf(`${to}${typed}`),
  }));
  const pages = EVERYWHERE.filter(({ name }) => name.toLowerCase().includes(typed.toLowerCase())).map(
    ({ name, icon, to, key }) => ({
      group: 'Go to',
      icon,
      title: name,
      ...(key === undefined ? {} : { detail: `G ${key}` }),
      href: hrefOf(to),
    }),
  );
  return [...ids, ...pages];
}

export const Palette = (): JSX.Element | null => (isShown.value ? <PaletteDialog /> : null);

const WAIT_MS = 150;

function PaletteDialog(): JSX.Element {
  const element = useRef<HTMLDialogElement>(null);
  const [text, setText] = useState('');
  // With the text that they were found for: hits of an earlier text are never shown, or opened, for a later one.
  const [found, setFound] = useState<{ readonly text: string; readonly hits: readonly Hit[] }>({ text: '', hits: [] });
  // By address: a hit that was chosen stays chosen when more are found.
  const [chosen, setChosen] = useState<string | null>(null);
  useEffect(() => element.current?.showModal(), []);
  useEffect(() => {
    const controller = new AbortController();
    const timer = setTimeout(async () => {
      if (text.trim().length < 2) return;
      const results = await Promise.allSettled(finders.map((finder) => finder(text.trim(), controller.signal)));
      if (!controller.signal.aborted)
        setFound({
          text,
          hits: results.flatMap((result) => (result.status === 'fulfilled' ? result.value : [])),
        });
    }, WAIT_MS);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [text]);
  const hits = [...(found.text === text ? found.hits : []), ...known(text)];
  const at = Math.max(
    0,
    hits.findIndex(({ href }) => href === chosen),
  );
  const close = (): void => {
    isShown.value = false;
  };
  const open = (hit: Hit | undefined): void => {
    if (hit === undefined) return;
    close();
    goTo(hit.href);
  };
  const onKey = (event: KeyboardEvent): void => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step !== 0) {
      event.preventDefault();
      setChosen(hits[(at + step + hits.length) % Math.max(1, hits.length)]?.href ?? null);
    }
  };
  return (
    <dialog ref={element} class="palette" aria-label="Search or jump to" onClose={close} {...{ closedby: 'any' }}>
      <form
        method="dialog"
        onSubmit={(event) => {
          event.preventDefault();
          open(hits[at]);
        }}
      >
        <div class="query">
          <Icon name="search" />
          <input
            type="text"
            role="combobox"
            aria-label="Search or jump to"
            aria-expanded="true"
            aria-controls="palette-hits"
            aria-activedescendant={hits.length > 0 ? `palette-${at}` : undefined}
            autocomplete="off"
            value={text}
            onInput={(event) => {
              setText(event.currentTarget.value);
              setChosen(null);
            }}
            onKeyDown={onKey}
          />
          <kbd>Esc</kbd>
          <button type="button" class="close" aria-label="Close" onClick={close}>
            <Icon name="cross" />
          </button>
        </div>
        <div class="hits" id="palette-hits" role="listbox" aria-label="Results">
          {hits.map((hit, i) => (
            <div key={`${hit.href} ${hit.title}`} role="presentation">
              {hit.group !== hits[i - 1]?.group && <p role="presentation">{hit.group}</p>}
              {/* biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field, which names the active option. */}
              {/* biome-ignore lint/a11y/useKeyWithClickEvents: as above; the field takes the keys. */}
              <div id={`palette-${i}`} role="option" aria-selected={i === at} class="hit" onClick={() => open(hit)}>
                <Icon name={hit.icon} /> <b>{hit.title}</b> <span>{hit.detail}</span>
              </div>
            </div>
          ))}
          {hits.length === 0 && <p>Nothing is called “{text}”.</p>}
        </div>
        <footer>
          <kbd>↑</kbd> <kbd>↓</kbd> choose <kbd>↵</kbd> open{' '}
          <span>Paste any id: chk_, shr_, evt_, req_, key_, or that of a payout</span>
        </footer>
      </form>
    </dialog>
  );
}
