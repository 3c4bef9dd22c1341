// Reasons for a rejection that reviewers often give, as data: the desk offers them by number, the command line by key.

import type { ReviewReason } from '../../../schemas/types.gen.ts';

export const REJECTION_REASONS: readonly ReviewReason[] = [
  {
    key: 'photos',
    name: 'Not your photo',
    note: 'A photo does not show what is offered, or belongs to another venue: send your own photos of it.',
  },
  {
    key: 'price',
    name: 'Price unclear',
    note: 'The price is not clear: say what one unit is, who it is for, and which fees are included.',
  },
  {
    key: 'contact',
    name: 'Contact in text',
    note: 'The text has a phone number, a mail address or a link: take it out, guests book here.',
  },
];
