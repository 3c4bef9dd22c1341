// The name of a venue, and what guests see of it: time zone, contacts, terms, colour and logo. The operator and the owners
// of the venue change it, and each change is audited. Addresses are https alone, because pages link to them.

import { isZone } from '../../../schemas/rules/iana-zone.ts';
import type { CommandContext } from '../../base/command-context.ts';
import type { Queryable } from '../../base/db.ts';
import { type FieldProblem, invalid, notFound } from '../../base/errors.ts';
import { audit } from './audit.ts';
import { findVenue, lockVenue, type NamedProfileRow, setProfile, type VenueRow } from './queries.ts';

export interface VenueProfile {
  readonly name: string;
  /** An IANA time zone. */
  readonly timezone: string;
  readonly support: { readonly email: string | null; readonly phone: string | null; readonly url: string | null };
  readonly termsUrl: string | null;
  readonly privacyUrl: string | null;
  /** #rrggbb in lower case. */
  readonly accentColor: string | null;
  readonly logoUrl: string | null;
}

/** The addresses of the service itself, for what a venue does not have. `Config` has them. */
export interface ServiceLinks {
  readonly termsUrl: string | null;
  readonly privacyUrl: string | null;
  readonly supportUrl: string | null;
}

export type ProfileField = keyof NamedProfileRow;

/** A field that is absent stays as it is; null clears it. */
export type ProfileChanges = Partial<NamedProfileRow>;

const MAX_NAME_LENGTH = 120;
const MAX_TEXT_LENGTH = 200;
const MAX_URL_LENGTH = 2048;
const EMAIL = /^[^\s@<>()",;:\\[\]]{1,64}@(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/i;

export function isMailAddress(text: string): boolean {
  return text.length <= MAX_TEXT_LENGTH && EMAIL.test(text);
}

/** The profile of a venue as it is stored. Null: there is no such venue. */
export async function readVenueProfile(db: Queryable, venueId: string): Promise<VenueProfile | null> {
  const venue = await findVenue(db, venueId);
  if (venue === null) return null;
  return {
    name: venue.name,
    timezone: venue.timezone,
    support: { email: venue.support_email, phone: venue.support_phone, url: venue.support_url },
    termsUrl: venue.terms_url,
    privacyUrl: venue.privacy_url,
    accentColor: venue.accent_color,
    logoUrl: venue.logo_url,
  };
}

/** The venue's own terms and contact, or those of the service where the venue has none. */
export function withServiceLinks(profile: VenueProfile, links: ServiceLinks): VenueProfile {
  const { email, phone, url } = profile.support;
  const hasContact = email !== null || phone !== null || url !== null;
  return {
    ...profile,
    support: hasContact ? profile.support : { email: null, phone: null, url: links.supportUrl },
    termsUrl: profile.termsUrl ?? links.termsUrl,
    privacyUrl: profile.privacyUrl ?? links.privacyUrl,
  };
}

/**
 * Checks the typed values, and throws the problems of all of them. An empty text clears its field; an empty time zone is
 * UTC again.
 */
export function parseProfileChanges(typed: Readonly<Partial<Record<ProfileField, string>>>): ProfileChanges {
  const problems: FieldProblem[] = [];
  const changes = Object.entries(typed).map(([name, text]) => {
    const field = name as ProfileField;
    const value = parseField(field, text.trim());
    if (value === undefined) problems.push(problemOf(field, text.trim()));
    return [field, value];
  });
  if (problems.length > 0) throw invalid(problems);
  return Object.fromEntries(changes);
}

/** Undefined: the text is not right. */
function parseField(field: ProfileField, text: string): string | null | undefined {
  if (text === '' && field === 'name') return undefined;
  if (text === '') return field === 'timezone' ? 'UTC' : null;
  return RULES[field].parse(text);
}

function problemOf(field: ProfileField, text: string): FieldProblem {
  const { remedy, example } = RULES[field];
  const message = remedy(text);
  return {
    code: 'invalid_format',
    field: `/${field}`,
    message,
    expected: `a value like ${example}`,
    example_fix: example,
  };
}

interface FieldRule {
  /** The value in its normal form; undefined: the text is not right. */
  readonly parse: (text: string) => string | undefined;
  readonly remedy: (text: string) => string;
  readonly example: string;
}

const url = (example: string): FieldRule => ({
  parse: parseUrl,
  remedy: (text) => `"${text}" is not an address that pages may link to: give one that begins with https://.`,
  example,
});

const RULES: Readonly<Record<ProfileField, FieldRule>> = {
  name: {
    parse: (text) => ([...text].length <= MAX_NAME_LENGTH ? text : undefined),
    remedy: () => `The name of a venue has 1 to ${MAX_NAME_LENGTH} characters.`,
    example: 'Harbor Club',
  },
  timezone: {
    parse: (text) => (isZone(text) ? text : undefined),
    remedy: (text) => `"${text}" is not a time zone of the IANA database: give one such as America/New_York, or UTC.`,
    example: 'America/New_York',
  },
  support_email: {
    parse: (text) => (isMailAddress(text) ? text : undefined),
    remedy: (text) => `"${text}" is not a mail address: give one such as help@example.com.`,
    example: 'help@example.com',
  },
  support_phone: {
    parse: (text) => (isPhone(text) ? text : undefined),
    remedy: () => 'The phone needs a plus sign, its country code and 7 to 15 digits, such as +1 555 010 0000.',
    example: '+1 555 010 0000',
  },
  support_url: url('https://example.com/help'),
  terms_url: url('https://example.com/terms'),
  privacy_url: url('https://example.com/privacy'),
  accent_color: {
    parse: (text) => (/^#[0-9a-f]{6}$/i.test(text) ? text.toLowerCase() : undefined),
    remedy: (text) => `"${text}" is not a colour: give it as #rrggbb, such as #0f5486.`,
    example: '#0f5486',
  },
  logo_url: url('https://example.com/logo.png'),
};

function isPhone(text: string): boolean {
  return /^\+[0-9 ()./-]{6,30}$/.test(text) && /^[0-9]{7,15}$/.test(text.replaceAll(/[^0-9]/g, ''));
}

function parseUrl(text: string): string | undefined {
  const parsed = URL.canParse(text) ? new URL(text) : null;
  const isPlain = parsed?.protocol === 'https:' && parsed.username === '' && parsed.password === '';
  return isPlain && parsed.href.length <= MAX_URL_LENGTH ? parsed.href : undefined;
}

export async function changeVenueProfile(
  tx: Queryable,
  command: CommandContext,
  venueId: string,
  changes: ProfileChanges,
): Promise<VenueRow> {
  const venue = await lockVenue(tx, venueId);
  if (venue === null) throw notFound();
  const changed = Object.fromEntries(
    Object.entries(changes).filter(([name, value]) => venue[name as ProfileField] !== value),
  ) as ProfileChanges;
  const names = Object.keys(changed) as ProfileField[];
  if (names.length === 0) return venue;
  const next: VenueRow = { ...venue, ...changed };
  await setProfile(tx, venueId, next);
  const before = Object.fromEntries(names.map((name) => [name, venue[name]]));
  await audit(tx, command, { venueId, action: 'venue.update', subject: venueId, detail: { before, after: changed } });
  return next;
}
