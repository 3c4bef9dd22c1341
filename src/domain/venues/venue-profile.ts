// What guests see of a venue beside its name: time zone, contacts, terms, colour and logo. The operator changes it, and
// each change is audited. Addresses are https alone, because pages link to them.

import { isZone } from '../../../schemas/rules/iana-zone.ts';
import type { CommandContext } from '../../base/command-context.ts';
import type { Queryable } from '../../base/db.ts';
import { notFound, Problem } from '../../base/errors.ts';
import { audit } from './audit.ts';
import { findVenue, lockVenue, setProfile, type VenueProfileRow, type VenueRow } from './queries.ts';

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

export type ProfileField = keyof VenueProfileRow;

/** A field that is absent stays as it is; null clears it. */
export type ProfileChanges = Partial<VenueProfileRow>;

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

/** Checks the typed values. An empty text clears its field; an empty time zone is UTC again. */
export function parseProfileChanges(typed: Readonly<Partial<Record<ProfileField, string>>>): ProfileChanges {
  return Object.fromEntries(
    Object.entries(typed).map(([name, text]) => [name, parseField(name as ProfileField, text.trim())]),
  );
}

function parseField(field: ProfileField, text: string): string | null {
  if (text === '') return field === 'timezone' ? 'UTC' : null;
  switch (field) {
    case 'timezone':
      if (isZone(text)) return text;
      throw refusal(
        field,
        `"${text}" is not a time zone of the IANA database: give one such as America/New_York, or UTC.`,
      );
    case 'support_email':
      if (isMailAddress(text)) return text;
      throw refusal(field, `"${text}" is not a mail address: give one such as help@example.com.`);
    case 'support_phone':
      if (/^\+[0-9 ()./-]{6,30}$/.test(text) && /^[0-9]{7,15}$/.test(text.replaceAll(/[^0-9]/g, ''))) return text;
      throw refusal(
        field,
        'The phone needs a plus sign, its country code and 7 to 15 digits, such as +1 555 010 0000.',
      );
    case 'accent_color':
      if (/^#[0-9a-f]{6}$/i.test(text)) return text.toLowerCase();
      throw refusal(field, `"${text}" is not a colour: give it as #rrggbb, such as #0f5486.`);
    default:
      return parseUrl(field, text);
  }
}

function parseUrl(field: ProfileField, text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isPlain = url?.protocol === 'https:' && url.username === '' && url.password === '';
  if (isPlain && url.href.length <= MAX_URL_LENGTH) return url.href;
  throw refusal(field, `"${text}" is not an address that pages may link to: give one that begins with https://.`);
}

function refusal(field: ProfileField, message: string): Problem {
  return new Problem('invalid_request', { field: `/${field}`, message });
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
