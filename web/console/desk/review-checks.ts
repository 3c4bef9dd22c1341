// What a program can see in an object that waits for review: contacts in its texts, pictures without https, prices. Each check
// says what to look at; a person decides.

export interface ReviewCheck {
  readonly text: string;
  readonly isGood: boolean;
}

type Content = Readonly<Record<string, unknown>>;

/** Texts that members read. Addresses of pictures and of the booking page are fields of their own. */
const TEXT_FIELDS: ReadonlySet<string> = new Set([
  'title',
  'name',
  'description',
  'label',
  'notes',
  'text',
  'includes',
]);
const PHONE = /(?:\+|\b)\d[\d\s().-]{6,}\d\b/;
const LINK = /\bhttps?:\/\/|\bwww\.|\b[\w-]+\.(?:com|net|org|io|app)\b/i;
const MAIL = /[\w.+-]+@[\w-]+\.\w+/;
const MIN_PHONE_DIGITS = 7;

/** Events need neither pictures nor prices. */
export function checksOf(kind: 'offering' | 'event' | 'boat', content: Content): readonly ReviewCheck[] {
  const texts = textsIn(content);
  const contacts = [
    contactCheck('phone number', texts.find(hasPhone)),
    contactCheck(
      'link or mail address',
      texts.find((text) => LINK.test(text) || MAIL.test(text)),
    ),
  ];
  return kind === 'event'
    ? contacts
    : [...contacts, pictureCheck(addressesIn(content)), priceCheck(amountsIn(content))];
}

function hasPhone(text: string): boolean {
  const [found = ''] = PHONE.exec(text) ?? [];
  return found.replaceAll(/\D/g, '').length >= MIN_PHONE_DIGITS;
}

function contactCheck(what: string, found: string | undefined): ReviewCheck {
  return found === undefined
    ? { text: `No ${what} in the text`, isGood: true }
    : { text: `A ${what} in the text: “${found.slice(0, 80)}”`, isGood: false };
}

function pictureCheck(pictures: readonly string[]): ReviewCheck {
  if (pictures.length === 0) return { text: 'It has no pictures', isGood: false };
  const open = pictures.filter((address) => !address.startsWith('https://'));
  return open.length === 0
    ? { text: `Pictures: ${pictures.length}, all by https`, isGood: true }
    : { text: `A picture without https: ${open[0]}`, isGood: false };
}

function priceCheck(amounts: readonly number[]): ReviewCheck {
  if (amounts.length === 0) return { text: 'It has no price', isGood: false };
  const [lowest, highest] = [Math.min(...amounts), Math.max(...amounts)];
  if (lowest <= 0) return { text: 'A price is 0', isGood: false };
  return highest > lowest * 20
    ? { text: 'One price is more than twenty times another', isGood: false }
    : { text: `Prices: ${amounts.length}, all above 0 and near one another`, isGood: true };
}

function textsIn(value: unknown, field = ''): string[] {
  if (typeof value === 'string') return TEXT_FIELDS.has(field) ? [value] : [];
  if (Array.isArray(value)) return value.flatMap((one) => textsIn(one, field));
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([name, one]) => textsIn(one, name));
}

/** Of offerings `media`, of boats `photo_urls`. */
function addressesIn({ media, photo_urls }: Content): string[] {
  const listed = [media, photo_urls].flat();
  return listed.flatMap((one) => {
    const address = typeof one === 'object' && one !== null ? (one as { url?: unknown }).url : one;
    return typeof address === 'string' ? [address] : [];
  });
}

function amountsIn({ tiers, pricing }: Content): number[] {
  return [tiers, pricing].flat().flatMap((one) => {
    const { amount } = (typeof one === 'object' && one !== null ? one : {}) as { amount?: unknown };
    return typeof amount === 'number' ? [amount] : [];
  });
}
