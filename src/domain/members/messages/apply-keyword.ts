// Applies the keywords that recipients reply: STOP and its synonyms opt the phone out, START opts it in again. Any
// other reply changes nothing.

import type { Queryable } from '../../../base/db.ts';
import type { Seal } from '../../../base/seal.ts';
import { hashOfPhone } from '../phone.ts';
import { setOptedOut } from '../queries.ts';

const STOP_KEYWORDS = ['STOP', 'STOPALL', 'UNSUBSCRIBE', 'CANCEL', 'END', 'QUIT', 'REVOKE', 'OPTOUT'];
const START_KEYWORDS = ['START', 'UNSTOP', 'YES'];

export type KeywordEffect = 'stopped' | 'started' | 'nothing';

export async function applyKeyword(
  db: Queryable,
  context: { readonly seal: Seal; readonly now: number },
  phone: string,
  reply: string,
): Promise<KeywordEffect> {
  const keyword = reply
    .trim()
    .toUpperCase()
    .replaceAll(/[^A-Z]/g, '');
  const effect: KeywordEffect = STOP_KEYWORDS.includes(keyword)
    ? 'stopped'
    : START_KEYWORDS.includes(keyword)
      ? 'started'
      : 'nothing';
  if (effect !== 'nothing')
    await setOptedOut(db, hashOfPhone(context.seal, phone), effect === 'stopped' ? context.now : null);
  return effect;
}
