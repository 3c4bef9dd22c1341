// The address of a call as the request log shows it. Ids stay. Of the query, values stay where their schema allows only
// numbers, times and fixed words, or where they are ids of ours; every other value is masked.

import { isUuid } from '../../base/ids.ts';
import { maskShort, maskText, withoutControls } from '../../base/mask-text.ts';

/** What the log needs to know of an operation. */
export interface LoggedOperation {
  readonly id: string;
  readonly path: string;
  readonly query?: Readonly<Record<string, unknown>>;
}

const MAX_LENGTH = 500;
const MAX_PARAMETERS = 20;
const MAX_VALUE_LENGTH = 64;
const OWN_ID = /^[a-z]{3}_[0-9a-z]{26}$/;

/** Has no end of a line, which separates calls where they are stored: a decoded `%0A` becomes a space. */
export function loggedPath(url: string, operation: LoggedOperation | null): string {
  if (url.length <= MAX_LENGTH && PLAIN_PATH.test(url)) return url;
  const queryAt = url.indexOf('?');
  const path = (queryAt < 0 ? url : url.slice(0, queryAt)).split('/').map(loggedSegment).join('/');
  const query = queryAt < 0 ? '' : loggedQuery(url.slice(queryAt + 1), operation);
  const shown = `${path}${query}`.slice(0, MAX_LENGTH);
  return PRINTABLE.test(shown) ? shown : withoutControls(shown).replaceAll(/\s/g, ' ');
}

const PRINTABLE = /^[\x20-\x7e]*$/;
/** Segments of which none is masked: one look instead of one for each, since nearly every call has such a path. */
const PLAIN_PATH = /^(?:\/(?:[a-z_]*\d?|[a-z]{3}_[0-9a-z]{26}))+$/;
/** Words of our own routes, such as `checkouts` and `v1`: nothing to mask. */
const PLAIN_SEGMENT = /^[a-z_]*\d?$/;

function loggedSegment(segment: string): string {
  if (PLAIN_SEGMENT.test(segment) || isOwnId(segment)) return segment;
  const masked = maskText(segment);
  return masked === segment ? segment : masked.replaceAll('/', '%2F');
}

function isOwnId(text: string): boolean {
  return OWN_ID.test(text) || isUuid(text);
}

function loggedQuery(text: string, operation: LoggedOperation | null): string {
  const plain = plainParameters(operation);
  const shown = [...new URLSearchParams(text)].slice(0, MAX_PARAMETERS).map(([name, value]) => {
    const isPlain = isOwnId(value) || (plain.has(name) && value.length <= MAX_VALUE_LENGTH);
    return `${maskShort(name, MAX_VALUE_LENGTH)}=${isPlain ? maskText(value) : '[masked]'}`;
  });
  return shown.length === 0 ? '' : `?${shown.join('&')}`;
}

const NO_PARAMETERS: ReadonlySet<string> = new Set();
const plainByOperation = new WeakMap<LoggedOperation, ReadonlySet<string>>();

/** The parameters whose values are numbers, times or fixed words. */
function plainParameters(operation: LoggedOperation | null): ReadonlySet<string> {
  if (operation?.query === undefined) return NO_PARAMETERS;
  let plain = plainByOperation.get(operation);
  if (plain === undefined) {
    const properties = Object.entries((operation.query.properties ?? {}) as Record<string, Record<string, unknown>>);
    const isPlain = ({ type, format, enum: words }: Record<string, unknown>): boolean =>
      type === 'integer' || type === 'boolean' || words !== undefined || /^date/.test(String(format));
    plain = new Set(properties.filter(([, schema]) => isPlain(schema)).map(([name]) => name));
    plainByOperation.set(operation, plain);
  }
  return plain;
}
