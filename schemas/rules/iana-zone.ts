// Which names are IANA time zones: a zone or link of the tz database that this runtime supports, in the database's own
// letter case. Offsets ("+02:00") and the abbreviations that ICU adds ("PST", "IST") are not. A bounded cache stores
// the results.

import type { Rule } from './rule.ts';
import { quoted } from './wording.ts';

/** Names of the tz database that Intl.supportedValuesOf leaves out (links, mostly), in their own letter case. */
const LINKS = `Africa/Asmara Africa/Timbuktu America/Argentina/Buenos_Aires America/Argentina/Catamarca
  America/Argentina/ComodRivadavia America/Argentina/Cordoba America/Argentina/Jujuy America/Argentina/Mendoza
  America/Atikokan America/Atka America/Ensenada America/Fort_Wayne America/Indiana/Indianapolis
  America/Kentucky/Louisville America/Knox_IN America/Montreal America/Nipigon America/Nuuk America/Pangnirtung
  America/Porto_Acre America/Rainy_River America/Rosario America/Santa_Isabel America/Shiprock America/Thunder_Bay
  America/Virgin America/Yellowknife Antarctica/South_Pole Asia/Ashkhabad Asia/Choibalsan Asia/Chongqing Asia/Chungking
  Asia/Dacca Asia/Harbin Asia/Ho_Chi_Minh Asia/Istanbul Asia/Kashgar Asia/Kathmandu Asia/Kolkata Asia/Macao
  Asia/Tel_Aviv Asia/Thimbu Asia/Ujung_Pandang Asia/Ulan_Bator Asia/Yangon Atlantic/Faroe Atlantic/Jan_Mayen
  Australia/ACT Australia/Canberra Australia/Currie Australia/LHI Australia/NSW Australia/North Australia/Queensland
  Australia/South Australia/Tasmania Australia/Victoria Australia/West Australia/Yancowinna Brazil/Acre
  Brazil/DeNoronha Brazil/East Brazil/West CET CST6CDT Canada/Atlantic Canada/Central Canada/Eastern Canada/Mountain
  Canada/Newfoundland Canada/Pacific Canada/Saskatchewan Canada/Yukon Chile/Continental Chile/EasterIsland Cuba EET EST
  EST5EDT Egypt Eire Etc/GMT Etc/GMT+0 Etc/GMT+1 Etc/GMT+10 Etc/GMT+11 Etc/GMT+12 Etc/GMT+2 Etc/GMT+3 Etc/GMT+4
  Etc/GMT+5 Etc/GMT+6 Etc/GMT+7 Etc/GMT+8 Etc/GMT+9 Etc/GMT-0 Etc/GMT-1 Etc/GMT-10 Etc/GMT-11 Etc/GMT-12 Etc/GMT-13
  Etc/GMT-14 Etc/GMT-2 Etc/GMT-3 Etc/GMT-4 Etc/GMT-5 Etc/GMT-6 Etc/GMT-7 Etc/GMT-8 Etc/GMT-9 Etc/GMT0 Etc/Greenwich
  Etc/UCT Etc/UTC Etc/Universal Etc/Zulu Europe/Belfast Europe/Kyiv Europe/Nicosia Europe/Tiraspol Europe/Uzhgorod
  Europe/Zaporozhye GB GB-Eire GMT GMT+0 GMT-0 GMT0 Greenwich HST Hongkong Iceland Iran Israel Jamaica Japan Kwajalein
  Libya MET MST MST7MDT Mexico/BajaNorte Mexico/BajaSur Mexico/General NZ NZ-CHAT Navajo PRC PST8PDT Pacific/Chuuk
  Pacific/Johnston Pacific/Kanton Pacific/Pohnpei Pacific/Samoa Pacific/Yap Poland Portugal ROC ROK Singapore Turkey
  UCT US/Alaska US/Aleutian US/Arizona US/Central US/East-Indiana US/Eastern US/Hawaii US/Indiana-Starke US/Michigan
  US/Mountain US/Pacific US/Samoa UTC Universal W-SU WET Zulu`.split(/\s+/);

/** From a name in lower case to the name as the tz database writes it. */
let known: ReadonlyMap<string, string> | undefined;

/** Built at the first name, because building it would delay the start. */
function knownName(name: string): string | undefined {
  known ??= new Map([...LINKS, ...Intl.supportedValuesOf('timeZone')].map((one) => [one.toLowerCase(), one]));
  return known.get(name.toLowerCase());
}

/** A name that is in neither list may come from a newer tz database: it must at least be in one of its regions. */
const NEWER =
  /^(?:Africa|America|Antarctica|Arctic|Asia|Atlantic|Australia|Europe|Indian|Pacific)(?:\/[A-Z][A-Za-z_-]{1,20}){1,2}$/;

const MAX_CACHED_NAMES = 1000;
const cache = new Map<string, boolean>();

function runtimeSupports(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en-US', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** Whether `name` is a time zone of the tz database, in the database's letter case. */
export function isZone(name: string): boolean {
  const canonical = knownName(name);
  if (canonical === undefined ? !NEWER.test(name) : canonical !== name) return false;
  const cached = cache.get(name);
  if (cached !== undefined) return cached;
  const isSupported = runtimeSupports(name);
  if (cache.size >= MAX_CACHED_NAMES) cache.clear();
  cache.set(name, isSupported);
  return isSupported;
}

/**
 * Returns a function that gives the calendar date of a time in a real zone, as YYYY-MM-DD. It creates its formatter on
 * first use.
 */
export function datesIn(zone: string): (time: number) => string {
  let format: Intl.DateTimeFormat | undefined;
  return (time) => {
    format ??= new Intl.DateTimeFormat('en-US-u-ca-gregory-nu-latn', {
      timeZone: zone,
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
    });
    const parts = new Map(format.formatToParts(time).map((part) => [part.type, part.value]));
    return `${parts.get('year')}-${parts.get('month')}-${parts.get('day')}`;
  };
}

export const zoneIsReal: Rule = (value, at, report) => {
  if (typeof value !== 'string' || isZone(value)) return;
  const suggestion = knownName(value.slice(0, 64)) ?? '';
  const fix = isZone(suggestion) ? suggestion : 'America/New_York';
  report({
    code: 'invalid_value',
    field: at,
    message:
      fix === suggestion
        ? `A time zone must have the letter case of the IANA database. Send ${fix}.`
        : `${quoted(value)} is not a time zone of the IANA database. Send an area and a city, such as ${fix}, or UTC.`,
    expected: 'an IANA time zone name',
    example_fix: fix,
  });
};
