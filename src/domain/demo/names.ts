// Names of the demo's guests.

import type { Seeded } from './seeded.ts';

const FIRST = (
  'Maya Ben Cleo Dario Elif Farid Gwen Hugo Ines Jonas Kemi Leo Mara Noah Olga Pia Quinn Rosa Sam Tomás Uma Victor Wren ' +
  'Xenia Yusuf Zoe Aisha Bruno Carmen Diego Esther Felix Grace Hana Ivan Julia Kofi Lena Mateo Nina Owen Priya Rafael ' +
  'Sofia Theo Valeria'
).split(' ');
const LAST = (
  'Okafor Alvarez Whitfield Ferreira Kaya Nasser Moore Lindqvist Costa Berger Adeyemi Novak Jensen Rivera Petrova Marsh ' +
  'Delgado Haddad Park Silva Tanaka Ortiz Brooks Weber Khan Rossi Nguyen Duarte Price Fontaine'
).split(' ');

export function fullName(seeded: Seeded): string {
  return `${seeded.pick(FIRST)} ${seeded.pick(LAST)}`;
}

/** As guests give it: "Ben A." */
export function shortName(seeded: Seeded): string {
  return `${seeded.pick(FIRST)} ${seeded.pick(LAST).slice(0, 1)}.`;
}
