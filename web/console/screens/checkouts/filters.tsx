// The filters of the list of checkouts, and views of a person: filters that this browser keeps under a name.

import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { AddressQuery } from '../../client/address-query.ts';
import { hrefOf, usePlace } from '../../session.ts';
import { Button, Link, SelectField, TextField } from '../../ui/controls.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Icon } from '../../ui/icon.tsx';

const TYPING_MS = 300;
const SEARCH_CLASS = 'checkout-search';

/** `F`. */
export function focusSearch(): void {
  document.querySelector<HTMLElement>(`.${SEARCH_CLASS}`)?.focus();
}

const TIMES = [
  { value: '', label: 'All times' },
  { value: '1', label: 'Last day' },
  { value: '7', label: 'Last 7 days' },
  { value: '30', label: 'Last 30 days' },
  { value: '90', label: 'Last 90 days' },
];

const SORTS = [
  { value: '', label: 'Newest first' },
  { value: 'due', label: 'Due next' },
];

export function Filters({ address }: { readonly address: AddressQuery }): JSX.Element {
  const hasMore = ['min', 'max', 'offering', 'key'].some((name) => address.get(name) !== '');
  return (
    <div class="filters checkout-filters">
      <TypedFilter
        address={address}
        name="q"
        label="Search"
        placeholder="Booking id, name or chk_…"
        class={SEARCH_CLASS}
      />
      <div class="wide-only filters">
        <TimeAndOrder address={address} />
      </div>
      <details class="more-filters" open={hasMore}>
        <summary class="button plain">
          <Icon name="filter" /> <span>More filters</span>
        </summary>
        <div class="filters">
          <div class="phone-only">
            <div class="filters">
              <TimeAndOrder address={address} />
            </div>
          </div>
          <TypedFilter address={address} name="min" label="At least" placeholder="0.00" />
          <TypedFilter address={address} name="max" label="At most" placeholder="0.00" />
          <TypedFilter address={address} name="offering" label="Offering" placeholder="your id of it" />
          <TypedFilter address={address} name="key" label="Key" placeholder="key_…" />
        </div>
        <div class="phone-only">
          <SavedViews />
        </div>
      </details>
      <div class="wide-only">
        <SavedViews />
      </div>
    </div>
  );
}

const TimeAndOrder = ({ address }: { readonly address: AddressQuery }): JSX.Element => (
  <>
    <SelectField
      label="Created"
      value={address.get('days')}
      choices={TIMES}
      onChange={(days) => address.replace({ days })}
    />
    <SelectField
      label="Order"
      value={address.get('sort')}
      choices={SORTS}
      onChange={(sort) => address.replace({ sort })}
    />
  </>
);

interface TypedProps {
  readonly address: AddressQuery;
  readonly name: string;
  readonly label: string;
  readonly placeholder: string;
  readonly class?: string;
}

/** The address follows when the typing pauses. */
function TypedFilter({ address, name, label, placeholder, ...rest }: TypedProps): JSX.Element {
  const current = address.get(name);
  const [text, setText] = useState(current);
  useEffect(() => setText(current), [current]);
  useEffect(() => {
    if (text.trim() === current.trim()) return;
    const timer = setTimeout(() => address.replace({ [name]: text.trim() }), TYPING_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <TextField
      label={label}
      type="search"
      placeholder={placeholder}
      value={text}
      onInput={setText}
      maxLength={100}
      {...rest}
    />
  );
}

interface View {
  readonly name: string;
  /** The query of the address. */
  readonly query: string;
}

const VIEWS = 'everyshare.console.checkout_views';
const GIVEN: readonly View[] = [
  { name: 'Due next', query: '?status=collecting&sort=due' },
  { name: 'Over $1,000', query: '?min=1000' },
];

function readViews(venueId: string): readonly View[] {
  try {
    const kept = JSON.parse(localStorage.getItem(`${VIEWS}.${venueId}`) ?? '[]') as View[];
    return kept.filter(({ name, query }) => typeof name === 'string' && typeof query === 'string');
  } catch {
    return []; // Another program wrote it.
  }
}

function SavedViews(): JSX.Element {
  const { venue } = usePlace();
  const [own, setOwn] = useState(() => readViews(venue.id));
  const [isNaming, setNaming] = useState(false);
  const keep = (views: readonly View[]): void => {
    localStorage.setItem(`${VIEWS}.${venue.id}`, JSON.stringify(views));
    setOwn(views);
  };
  const { search } = location;
  return (
    <div class="saved-views">
      <span class="quiet">Views</span>
      {[...GIVEN, ...own].map(({ name, query }) => (
        <Link
          key={name}
          isWhole
          class="button plain"
          to={`${hrefOf('/checkouts')}${query}`}
          isCurrent={search === query}
        >
          <Icon name="star" /> <span>{name}</span>
        </Link>
      ))}
      {own.some(({ query }) => query === search) ? (
        <Button kind="quiet" onClick={() => keep(own.filter(({ query }) => query !== search))}>
          Forget this view
        </Button>
      ) : (
        search !== '' && (
          <Button kind="quiet" icon="plus" onClick={() => setNaming(true)}>
            Save view
          </Button>
        )
      )}
      {isNaming && (
        <NameDialog
          onClose={() => setNaming(false)}
          onName={(name) => {
            keep([...own.filter((view) => view.name !== name), { name, query: search }]);
            setNaming(false);
          }}
        />
      )}
    </div>
  );
}

interface NameProps {
  readonly onClose: () => void;
  readonly onName: (name: string) => void;
}

function NameDialog({ onClose, onName }: NameProps): JSX.Element {
  const [name, setName] = useState('');
  const isGood = name.trim() !== '';
  return (
    <Dialog
      title="Save this view"
      onClose={onClose}
      onSubmit={() => isGood && onName(name.trim())}
      note="Kept in this browser."
      buttons={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" isDisabled={!isGood}>
            Save
          </Button>
        </>
      }
    >
      <TextField label="Name" value={name} onInput={setName} maxLength={40} isFocused />
    </Dialog>
  );
}
