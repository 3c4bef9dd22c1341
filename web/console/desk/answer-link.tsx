// A dispute is answered in the dashboard of the card processor.

import type { JSX } from 'preact';

export function AnswerLink({ href }: { readonly href: string }): JSX.Element {
  return (
    <a class="button" href={href} target="_blank" rel="noreferrer">
      <span>Answer</span>
    </a>
  );
}
