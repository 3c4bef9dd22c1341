// The columns of the team's CSV file: its people, and those who are invited.

import type { Invitation, Person } from '../client/types.gen.ts';
import type { Columns } from '../ui/csv.ts';

const isPerson = (one: Person | Invitation): one is Person => 'is_you' in one;

export const TEAM_COLUMNS: Columns<Person | Invitation> = [
  ['type', (one) => (isPerson(one) ? 'person' : 'invitation')],
  ['id', ({ id }) => id],
  ['name', (one) => (isPerson(one) ? one.name : null)],
  ['email', ({ email }) => email],
  ['role', ({ role }) => role],
  ['created_at', ({ created_at }) => created_at],
  ['expires_at', (one) => (isPerson(one) ? null : one.expires_at)],
];
