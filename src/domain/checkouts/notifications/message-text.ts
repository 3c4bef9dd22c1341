// The text of a message about a checkout: organizer, booking, amount, deadline (in the venue's time, with its zone),
// the link, and how to opt out. Pure. A name that could carry a link is left out: a message in our name must not carry
// a guest's link.

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
  /** The deadline, in milliseconds; absent: pay_by. */
  readonly until?: number | undefined;
}

export function textOf(key: string, language: Language | null, facts: MessageFacts, values: MessageValues): string {
  const translator = translatorFor(language);
  const nameOrFriend = (name: string | null): string => withoutLinks(name) ?? translator.translate('text.a_friend');
  const sentence = translator.translate(key, {
    organizer: nameOrFriend(facts.organizer),
    payer: nameOrFriend(values.payer ?? null),
    what: shortened(facts.description, 100),
    venue: shortened(facts.venue, 60),
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

function shortened(text: string, maxLength: number): string {
  const characters = [...plainSpaces(text.replaceAll(/\p{Cc}/gu, ' '))];
  return characters.length <= maxLength ? characters.join('') : `${characters.slice(0, maxLength - 3).join('')}...`;
}

/** Null: there is no name, or a phone would turn part of it into a link. */
function withoutLinks(name: string | null): string | null {
  if (name === null || /:\/\/|www\.|[\p{L}\p{N}-]\.\p{L}{2,}/iu.test(name)) return null;
  return shortened(name, 40) || null;
}
