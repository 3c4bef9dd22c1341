// The countries of ISO 3166-1 (alpha-2, the 249 officially assigned codes), and the rule that a country is one of them.
// Reserved codes such as UK and EU, and user-assigned ones such as XK, are not countries of the standard.

import type { Report } from './rule.ts';
import { quoted } from './wording.ts';

const LISTED: ReadonlySet<string> = new Set(
  `AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ CA CC
   CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR GA GB GD
   GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH
   KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW
   MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC
   SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY
   UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW`.split(/\s+/),
);
const WELL_FORMED = /^[A-Z]{2}$/;
/** Codes that are often sent for a country that has another one. */
const MEANT: Readonly<Record<string, string>> = { UK: 'GB', EL: 'GR' };

/** Reports a well-formed country code that ISO 3166-1 does not list. The schema reports any other form. */
export function countryIsListed(value: unknown, at: string, report: Report): void {
  if (typeof value !== 'string' || !WELL_FORMED.test(value) || LISTED.has(value)) return;
  const fix = MEANT[value] ?? 'US';
  report({
    code: 'invalid_value',
    field: at,
    message: `ISO 3166-1 lists no country ${quoted(value)}. Use a listed two-letter code, such as ${fix}.`,
    expected: 'an ISO 3166-1 alpha-2 code',
    example_fix: fix,
  });
}
