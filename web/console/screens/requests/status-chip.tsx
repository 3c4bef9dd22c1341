// The status of an answer: green succeeded, amber refused, red our fault; with an icon, never by colour alone.

import type { JSX } from 'preact';
import { Chip } from '../../ui/states.tsx';

export function StatusChip({ status }: { readonly status: number }): JSX.Element {
  if (status >= 500)
    return (
      <Chip color="red" icon="refused">
        {status}
      </Chip>
    );
  return status >= 400 ? (
    <Chip color="amber" icon="alert">
      {status}
    </Chip>
  ) : (
    <Chip color="green" icon="check">
      {status}
    </Chip>
  );
}
