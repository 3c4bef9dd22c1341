// Whether the Accept header asks for CSV rather than JSON (RFC 9110, 12.5.1): by the weight of the most exact range
// that fits each of them. JSON is the default: CSV must have more weight, or the same weight and a more exact range.

interface MediaPreference {
  readonly weight: number;
  /** 0: no range fits; 1: any type; 2: any type of its family; 3: the type itself. */
  readonly exactness: number;
}

const NONE: MediaPreference = { weight: 0, exactness: 0 };
/** Far more than a client sends. */
const MAX_RANGES = 50;

export function wantsCsv(accept: string | undefined): boolean {
  if (accept === undefined || !/text\/|\*/.test(accept.toLowerCase())) return false;
  const ranges = accept.toLowerCase().split(',', MAX_RANGES);
  const csv = preferenceFor('text', 'csv', ranges);
  const json = preferenceFor('application', 'json', ranges);
  if (csv.weight === 0) return false;
  return csv.weight > json.weight || (csv.weight === json.weight && csv.exactness > json.exactness);
}

function preferenceFor(family: string, name: string, ranges: readonly string[]): MediaPreference {
  let best = NONE;
  for (const range of ranges) {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim());
    const exactness = [`*/*`, `${family}/*`, `${family}/${name}`].indexOf(type) + 1;
    if (exactness > best.exactness) best = { exactness, weight: weightOf(parameters) };
  }
  return best;
}

/** `q=0` to `q=1`; 1 when it is absent or malformed. */
function weightOf(parameters: readonly string[]): number {
  const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1';
  return /^(0(\.\d{0,3})?|1(\.0{0,3})?)$/.test(weight) ? Number(weight) : 1;
}
