// Compares an answer with the one that a page shows. Members and values are equal; ids, times, secrets, addresses of the
// service and numbers of seconds have the same form.

const FORMS: readonly (readonly [RegExp, string])[] = [
  [/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)/g, '<time>'],
  [/\b\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ/g, '<time>'],
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, '<uuid>'],
  [/\b(chk|shr|evt|req|whe|key|int|hkd)_[0-9a-z]{6,}\b/g, '<$1 id>'],
  [/\beyJ[\w-]+\.[\w-]+\.[\w-]+/g, '<token>'],
  [/\bpi_\w+_secret_\w+/g, '<client secret>'],
  [/\bpk_(test|live)_\w+/g, '<publishable key>'],
  [/\/s\/[0-9A-Za-z_-]{10,}/g, '/s/<token>'],
  [/\bwhsec_[0-9A-Za-z_+/=-]+/g, '<secret>'],
  [/\/v1\/hooks\/([a-z]+)\/[0-9A-Za-z_-]+/g, '/v1/hooks/$1/<token>'],
  [/https:\/\/(api|pay)\.everyshare\.example|http:\/\/127\.0\.0\.1:8080/g, '<service>'],
  [/\b\d+ seconds?\b/g, '<seconds>'],
];

/** A member of this name, or a last line, says that the page leaves the rest out. */
const MORE = '…';

function formOf(text: string, base: string): string {
  return FORMS.reduce((form, [pattern, name]) => form.replace(pattern, name), text.replaceAll(base, '<service>'));
}

/** What differs; empty when the answer is as shown. */
export function differences(shown: unknown, given: unknown, base: string, path = ''): string[] {
  const differs = (): string[] => [
    `${path || 'the answer'} is ${JSON.stringify(given)}, shown ${JSON.stringify(shown)}`,
  ];
  if (typeof shown === 'string' && typeof given === 'string')
    return formOf(shown, base) === formOf(given, base) ? [] : differs();
  if (Array.isArray(shown) && Array.isArray(given)) {
    const isWhole = shown.at(-1) !== MORE;
    const items = isWhole ? shown : shown.slice(0, -1);
    if (isWhole ? items.length !== given.length : items.length > given.length) return differs();
    return items.flatMap((item, index) => differences(item, given[index], base, `${path}/${index}`));
  }
  if (isObject(shown) && isObject(given)) {
    const names = Object.keys(shown).filter((name) => name !== MORE);
    const unshown = Object.keys(given).filter((name) => !names.includes(name));
    return [
      ...(unshown.length > 0 && !(MORE in shown)
        ? [`${path || 'the answer'} has ${unshown.join(', ')}, not shown`]
        : []),
      ...names.flatMap((name) => differences(shown[name], given[name], base, `${path}/${name}`)),
    ];
  }
  return Object.is(shown, given) ? [] : differs();
}

/** The same for lines of text, such as what a command prints. */
export function textDifferences(shown: string, given: string, base: string): string[] {
  const lines = (text: string): string[] =>
    formOf(text.trimEnd(), base)
      .split(/\r?\n/)
      .map((line) => line.trimEnd());
  return differences(lines(shown), lines(given), base, '');
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
