// The venues of the person, for those who have several or none.

import type { JSX } from 'preact';
import { hrefOf, session } from '../session.ts';
import { Icon } from '../ui/icon.tsx';
import { Empty, Page } from '../ui/parts.tsx';

export function VenuesScreen(): JSX.Element {
  const venues = session.value?.venues ?? [];
  return (
    <main class="alone wide">
      <Page title="Your venues" isNarrow>
        {venues.length === 0 ? (
          <Empty>You have no role in a venue. Ask an owner for an invitation.</Empty>
        ) : (
          <ul class="menu-list">
            {venues.map(({ id, name, linked, role }) => (
              <li key={id}>
                <a href={hrefOf('/', { venueId: id, mode: 'test' })}>
                  <Icon name="bank" /> <span>{name}</span>
                  <small>
                    {linked ? '' : 'Sandbox · '}
                    {role}
                  </small>
                </a>
              </li>
            ))}
          </ul>
        )}
      </Page>
    </main>
  );
}
