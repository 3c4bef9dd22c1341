// The text of a message about a checkout: organizer, booking, amount, deadline (in the venue's time, with its zone),
// the link, and how to opt out. Pure. A name, title or venue that holds a link or a number gives way to a neutral word: a
// message in our name must not carry a link or a phone number of another.

import { plainName } from '../../../base/plain-name.ts';
import { formatMoney, formatTime, type Language, translatorFor } from '../../../base/translations.ts';

/** The same for every recipient. */
export interface MessageFacts {
  readonly description: string;
  readonly venue: string;
  /** The IANA name of the zone in which the text gives times. */
  readonly zone: string;
  readonly organizer: string | null;
  readonly currency: string;
  /** In milliseconds. */
  readonly payBy: number;
}

export interface MessageValues {
  readonly amount: number;
  readonly link: string;
  /** The name of the member who covered the share. */
  readonly payer?: string | null;
  /** The name of the guest who has left the party. */
  readonly guest?: string | null | undefined;
  /** The deadline, in milliseconds; absent: pay_by. */
  readonly until?: number | undefined;
}

export function textOf(key: string, language: Language | null, facts: MessageFacts, values: MessageValues): string {
  const translator = translatorFor(language);
  const orNeutral = (name: string | null, neutralKey: string): string => name ?? translator.translate(neutralKey);
  const sentence = translator.translate(key, {
    organizer: orNeutral(safeName(facts.organizer, 40), 'text.a_friend'),
    payer: orNeutral(safeName(values.payer ?? null, 40), 'text.a_friend'),
    guest: orNeutral(safeName(values.guest ?? null, 40), 'text.a_friend'),
    what: orNeutral(safeName(facts.description, 100, { allowTimes: true }), 'text.a_booking'),
    venue: orNeutral(safeName(facts.venue, 60), 'text.the_venue'),
    amount: plainSpaces(formatMoney(translator.language, values.amount, facts.currency)),
    until: plainSpaces(formatTime(translator.language, values.until ?? facts.payBy, facts.zone)),
    link: values.link,
  });
  return `${sentence}\n\n${translator.translate('text.stop')}`;
}

/** A narrow or non-breaking space would force a Unicode encoding and double the cost of the message. */
function plainSpaces(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}

/** Null: there is no name, or it must not be in a text. */
function safeName(name: string | null, maxLength: number, options?: { readonly allowTimes: boolean }): string | null {
  const plain = name === null ? null : plainName(name, options);
  if (plain === null) return null;
  const characters = [...plain];
  return characters.length <= maxLength ? plain : `${characters.slice(0, maxLength - 3).join('')}...`;
}
