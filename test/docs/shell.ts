// The part of a shell's language that the pages use: words, quotes, a backslash at the end of a line; and curl.

export interface CurlRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** The commands of a block, each as its words. */
export function readCommands(text: string): string[][] {
  const commands: string[][] = [];
  let words: string[] = [];
  for (const [, single, double, plain, end] of text.matchAll(
    /'([^']*)'|"([^"]*)"|((?:[^\s'"\\]|\\[^\n])+)|(\n)|\\\n|[^\S\n]+/g,
  )) {
    const word = single ?? double ?? plain;
    if (word !== undefined) words.push(word);
    if (end !== undefined && words.length > 0) {
      commands.push(words);
      words = [];
    }
  }
  return words.length > 0 ? [...commands, words] : commands;
}

export function readCurl(words: readonly string[]): CurlRequest {
  const headers: Record<string, string> = {};
  let method: string | undefined;
  let url = '';
  let body: string | undefined;
  const rest = words.slice(1);
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (word === '-H') {
      const [name = '', value = ''] = (rest.shift() ?? '').split(/: (.*)/s);
      headers[name.toLowerCase()] = value;
    } else if (word === '-d') body = rest.shift();
    else if (word === '-X') method = rest.shift();
    else if (word === '-o') rest.shift();
    else if (word.startsWith('-')) throw new Error(`the option ${word} of curl is not supported here`);
    else url = word;
  }
  return {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    url,
    headers,
    ...(body === undefined ? {} : { body }),
  };
}
