// The kinds of offerings, in the order in which people choose one: for the editor, and for what a venue system sells.

import type { Offering } from '../../../../sdk/src/types.gen.ts';

export const OFFERING_KINDS: readonly Offering['kind'][] = [
  'cabana',
  'daybed',
  'table',
  'dining',
  'tee_time',
  'spa_treatment',
  'class',
  'boat_day',
  'ticketed_event',
  'package',
  'rental',
  'ride',
];
