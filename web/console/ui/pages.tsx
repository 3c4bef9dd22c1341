// The steps to older and newest objects of a list; nothing where one page has all.

import type { JSX } from 'preact';
import type { AddressQuery } from '../client/address-query.ts';
import { LinkButton } from './controls.tsx';

interface Props {
  readonly address: AddressQuery;
  readonly nextBefore: string | null;
}

export function Pages({ address, nextBefore }: Props): JSX.Element | null {
  const isFirst = address.get('before') === '';
  if (isFirst && nextBefore === null) return null;
  return (
    <nav class="pages" aria-label="Pages">
      {isFirst ? (
        <span />
      ) : (
        <LinkButton isWhole to={address.hrefWith({})} icon="up">
          Newest
        </LinkButton>
      )}
      {nextBefore !== null && (
        <LinkButton isWhole to={address.hrefWith({ before: nextBefore })} icon="down">
          Older
        </LinkButton>
      )}
    </nav>
  );
}
