// The words of a text message about a checkout: who asks, for what, how much, until when (in the venue's time, with the name
// of its zone), the link, and how to stop them. Pure. Names that people gave themselves are made harmless first: a message
// in our name must not carry somebody else's link.

import { formatMoney, formatTime, type Language, translatorFor } from '../../../base/translations.ts';

/** What is the same for everybody who is told of it. */
export interface MessageFacts {
  readonly what: string;
  readonly venue: string;
  /** The IANA name of the zone in which times are told. */
  readonly zone: string;
  readonly organizer: string | null;
  readonly currency: string;
  /** In milliseconds. */
  readonly payBy: number;
}

export interface MessageValues {
  readonly amount: number;
  readonly link: string;
  /** Who paid, where that was somebody else. */
  readonly payer?: string | null;
}

export function textOf(key: string, language: Language | null, about: MessageFacts, said: MessageValues): string {
  const spoken = translatorFor(language);
  const friend = (name: string | null): string => withoutLinks(name) ?? spoken.translate('text.a_friend');
  const sentence = spoken.translate(key, {
    organizer: friend(about.organizer),
    payer: friend(said.payer ?? null),
    what: shortened(about.what, 100),
    venue: shortened(about.venue, 60),
    amount: plainSpaces(formatMoney(spoken.language, said.amount, about.currency)),
    until: plainSpaces(formatTime(spoken.language, about.payBy, about.zone)),
    link: said.link,
  });
  return `${sentence}\n\n${spoken.translate('text.stop')}`;
}

/** A narrow or unbreakable space would make each message cost twice as much. */
function plainSpaces(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}

function shortened(text: string, most: number): string {
  const signs = [...plainSpaces(text.replaceAll(/\p{Cc}/gu, ' '))];
  return signs.length <= most ? signs.join('') : `${signs.slice(0, most - 3).join('')}...`;
}

/** Null: there is no name, or it is more than one: a phone would make a link of it. */
function withoutLinks(name: string | null): string | null {
  if (name === null || /:\/\/|www\.|[\p{L}\p{N}-]\.\p{L}{2,}/iu.test(name)) return null;
  return shortened(name, 40) || null;
}
