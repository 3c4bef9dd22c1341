// Replaces single values inside a JSON text and leaves every other byte as it is: numbers longer than a double, names that
// stand twice, and spaces stay. Parsing and writing again would lose them.

export type JsonPath = readonly (string | number)[];
/** Of a string its text, of a number its digits. Null: the value becomes null. The same text: it stays. */
export type Rewrite = (text: string, path: JsonPath) => string | null;

/** A string, a bracket, comma or colon, or a number or word. */
const TOKEN = /"[^"\\]*(?:\\[\s\S][^"\\]*)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

interface Frame {
  readonly isArray: boolean;
  /** The place in an array, or the name of the member whose value comes; null: a name comes. */
  key: string | number | null;
}

/** Null: the text is no JSON. */
export function parseJson(text: string): { readonly value: unknown } | null {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return null;
  }
}

/** `json` must be valid. */
export function rewriteJson(json: string, rewrite: Rewrite): string {
  const frames: Frame[] = [];
  const out: string[] = [];
  let copied = 0;
  for (const { 0: token, index } of json.matchAll(TOKEN)) {
    const frame = frames.at(-1);
    if (token === '{' || token === '[') frames.push({ isArray: token === '[', key: token === '[' ? 0 : null });
    else if (token === '}' || token === ']') frames.pop();
    else if (token === ',' && frame !== undefined) frame.key = frame.isArray ? Number(frame.key) + 1 : null;
    else if (frame?.key === null) frame.key = JSON.parse(token) as string;
    else if (token.startsWith('"') || /^[-\d]/.test(token)) {
      const text = token.startsWith('"') ? (JSON.parse(token) as string) : token;
      const changed = rewrite(
        text,
        frames.map(({ key }) => key ?? ''),
      );
      if (changed === text) continue;
      out.push(json.slice(copied, index), JSON.stringify(changed));
      copied = index + token.length;
    }
  }
  return out.join('') + json.slice(copied);
}
