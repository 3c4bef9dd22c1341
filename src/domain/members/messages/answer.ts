// What people answer to our messages. STOP, or any of the words that mean it, ends them; START takes that back. A message that
// is more than such a word changes nothing.

import type { Queryable } from '../../../base/db.ts';
import type { Seal } from '../../../base/seal.ts';
import { hashOfPhone } from '../phone.ts';
import { setStopped } from '../queries.ts';

const STOP = ['STOP', 'STOPALL', 'UNSUBSCRIBE', 'CANCEL', 'END', 'QUIT', 'REVOKE', 'OPTOUT'];
const START = ['START', 'UNSTOP', 'YES'];

export type Heard = 'stopped' | 'started' | 'nothing';

export async function applyKeyword(
  db: Queryable,
  by: { readonly seal: Seal; readonly now: number },
  phone: string,
  words: string,
): Promise<Heard> {
  const word = words
    .trim()
    .toUpperCase()
    .replaceAll(/[^A-Z]/g, '');
  const heard: Heard = STOP.includes(word) ? 'stopped' : START.includes(word) ? 'started' : 'nothing';
  if (heard !== 'nothing') await setStopped(db, hashOfPhone(by.seal, phone), heard === 'stopped' ? by.now : null);
  return heard;
}
