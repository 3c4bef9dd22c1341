// A card as its owner knows it: the brand and the last four digits.

import type { HeldCard } from './processor.ts';

/** The processor's names of brands, as they are written on cards. */
const BRANDS: ReadonlyMap<string, string> = new Map([
  ['amex', 'American Express'],
  ['cartes_bancaires', 'CB'],
  ['diners', 'Diners Club'],
  ['discover', 'Discover'],
  ['eftpos_au', 'eftpos'],
  ['jcb', 'JCB'],
  ['mastercard', 'Mastercard'],
  ['unionpay', 'UnionPay'],
  ['visa', 'Visa'],
]);

/** Such as "Visa ···· 4242"; only the digits for a brand that is not known. It never breaks inside. */
export function cardName({ brand, last4 }: HeldCard): string {
  const digits = `\u00b7\u00b7\u00b7\u00b7\u00a0${last4}`;
  const name = BRANDS.get(brand)?.replaceAll(' ', '\u00a0');
  return name === undefined ? digits : `${name}\u00a0${digits}`;
}

/** Each card once, in the order of the shares. */
export function cardNames(cards: readonly (HeldCard | null)[]): readonly string[] {
  return [...new Set(cards.flatMap((card) => (card === null ? [] : cardName(card))))];
}
