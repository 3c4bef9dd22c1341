// The currencies of ISO 4217 (list one as of amendment 180), in lower case, and the rules that a currency is listed and
// that one object has one currency. The list leaves out codes without a minor unit (metals, XDR, XTS, XXX and the
// like), because amounts are in minor units.

import { below, items, member } from './json-walk.ts';
import type { Report } from './rule.ts';
import { quoted } from './wording.ts';

const LISTED: ReadonlySet<string> = new Set(
  `aed afn all amd aoa ars aud awg azn bam bbd bdt bhd bif bmd bnd bob bov brl bsd btn bwp byn bzd cad cdf che chf chw
   clf clp cny cop cou crc cup cve czk djf dkk dop dzd egp ern etb eur fjd fkp gbp gel ghs gip gmd gnf gtq gyd hkd hnl
   htg huf idr ils inr iqd irr isk jmd jod jpy kes kgs khr kmf kpw krw kwd kyd kzt lak lbp lkr lrd lsl lyd mad mdl mga
   mkd mmk mnt mop mru mur mvr mwk mxn mxv myr mzn nad ngn nio nok npr nzd omr pab pen pgk php pkr pln pyg qar ron rsd
   rub rwf sar sbd scr sdg sek sgd shp sle sos srd ssp stn svc syp szl thb tjs tmt tnd top try ttd twd tzs uah ugx usd
   usn uyi uyu uyw uzs ved ves vnd vuv wst xad xaf xcd xcg xof xpf yer zar zmw zwg`.split(/\s+/),
);
const WELL_FORMED = /^[a-z]{3}$/;
const DEFAULT_SUGGESTION = 'usd';

/** Whether ISO 4217 lists a lower-case code as a currency that has a minor unit. */
function isListed(value: unknown): value is string {
  return typeof value === 'string' && LISTED.has(value);
}

const WITHOUT_MINOR = new Set('bif clp djf gnf isk jpy kmf krw pyg rwf ugx uyi vnd vuv xaf xof xpf'.split(' '));
const IN_THOUSANDTHS = new Set('bhd iqd jod kwd lyd omr tnd'.split(' '));
const IN_TEN_THOUSANDTHS = new Set(['clf', 'uyw']);

/** The number of decimals of a currency's minor unit, by ISO 4217. */
export function minorDigits(currency: string): number {
  if (WITHOUT_MINOR.has(currency)) return 0;
  if (IN_THOUSANDTHS.has(currency)) return 3;
  return IN_TEN_THOUSANDTHS.has(currency) ? 4 : 2;
}

/** Reports a well-formed currency that ISO 4217 does not list; `fix` is the suggested code. */
export function currencyIsListed(value: unknown, at: string, report: Report, fix = DEFAULT_SUGGESTION): void {
  if (typeof value !== 'string' || !WELL_FORMED.test(value) || LISTED.has(value)) return;
  report({
    code: 'invalid_value',
    field: at,
    message: `ISO 4217 lists no currency ${quoted(value)} for prices. Use a listed code in lower case, such as ${fix}.`,
    expected: 'a lower-case ISO 4217 code',
    example_fix: fix,
  });
}

/** Reports each unlisted currency in a list of prices, and each that differs from the first of the list. */
export function oneListedCurrency(prices: unknown, at: string, report: Report): void {
  const currencies = items(prices).map((price) => member(price, 'currency'));
  const first = currencies.find(isListed);
  currencies.forEach((currency, index) => {
    const field = below(at, index, 'currency');
    currencyIsListed(currency, field, report, first);
    if (!isListed(currency) || first === undefined || currency === first) return;
    report({
      code: 'not_allowed',
      field,
      message: `All prices here must be in one currency. The first is in ${first}, so send ${first} here too.`,
      expected: first,
      example_fix: first,
    });
  });
}
