// What people answer to our messages. STOP, or any of the words that mean it, ends them; START takes that back. A message that
// is more than such a word changes nothing.

import type { Queryable } from '../../../base/db.ts';
import type { Seal } from '../../../base/seal.ts';
import { hashOfPhone } from '../phone.ts';
import { setOptedOut } from '../queries.ts';

const STOP_KEYWORDS = ['STOP', 'STOPALL', 'UNSUBSCRIBE', 'CANCEL', 'END', 'QUIT', 'REVOKE', 'OPTOUT'];
const START_KEYWORDS = ['START', 'UNSTOP', 'YES'];

export type KeywordEffect = 'stopped' | 'started' | 'nothing';

export async function applyKeyword(
  db: Queryable,
  by: { readonly seal: Seal; readonly now: number },
  phone: string,
  words: string,
): Promise<KeywordEffect> {
  const word = words
    .trim()
    .toUpperCase()
    .replaceAll(/[^A-Z]/g, '');
  const effect: KeywordEffect = STOP_KEYWORDS.includes(word) ? 'stopped' : START_KEYWORDS.includes(word) ? 'started' : 'nothing';
  if (effect !== 'nothing') await setOptedOut(db, hashOfPhone(by.seal, phone), effect === 'stopped' ? by.now : null);
  return effect;
}
