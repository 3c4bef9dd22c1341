// The rules of a batch of activity: an event of an experience names the experience, a view of the venue's own page
// names the venue, and no event names both.

import { below, items, member } from './json-walk.ts';
import type { Report, Rule } from './rule.ts';

const TYPES = ['view', 'booking_start', 'save', 'booking', 'check_in'];
const SOME_ID = '0197f2c4-6a10-7c3e-9b1d-5f2a8c4e7d10';
const EXAMPLE = { id: 'act-1', member_id: 'member-77', at: '2027-06-01T12:00:00Z', mode: 'live' };

export const activity: Rule = (value, at, report) => {
  items(member(value, 'events')).forEach((event, index) => {
    const type = member(event, 'type');
    const place = below(at, 'events', index);
    if (type === 'venue_page_view') namesOne(event, place, ['venue_id', 'experience_id'], type, report);
    else if (typeof type === 'string' && TYPES.includes(type))
      namesOne(event, place, ['experience_id', 'venue_id'], type, report);
  });
};

type Name = 'experience_id' | 'venue_id';

function namesOne(event: unknown, at: string, [wanted, other]: [Name, Name], type: string, report: Report): void {
  if (member(event, other) !== undefined) {
    report({
      code: 'not_allowed',
      field: below(at, other),
      message: `A ${type} belongs to the ${wanted === 'venue_id' ? 'venue' : 'experience'} that ${wanted} names. Leave ${other} out.`,
      expected: `no ${other}`,
      example_fix: { ...EXAMPLE, type, [wanted]: SOME_ID },
      example_fix_field: at,
    });
  }
  if (member(event, wanted) === undefined) {
    report({
      code: 'missing_field',
      field: below(at, wanted),
      message: `A ${type} needs ${wanted}. Send the id of the ${wanted === 'venue_id' ? 'venue whose page was opened' : 'live experience'}.`,
      expected: `the id of the ${wanted === 'venue_id' ? 'venue' : 'live experience'}`,
      example_fix: SOME_ID,
    });
  }
}
