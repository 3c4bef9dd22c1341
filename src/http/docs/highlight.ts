// Colours the code of the documentation when a page is rendered, so that a browser runs nothing for it. It knows the
// few languages that the pages use, and only their words, strings, numbers and comments. It never changes the text.

import { escapeHtml } from './escape-html.ts';

/** The kinds of token, in the order in which they are tried. Each is the class `t-<kind>` in site.css. */
type Kind = 'comment' | 'name' | 'string' | 'variable' | 'number' | 'keyword';
type Language = Readonly<Partial<Record<Kind, RegExp>>>;

const STRING = /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/;
const NUMBER = /(?<![\w.-])-?\d[\d_]*(?:\.\d+)?(?![\w.])/;
const SLASH_COMMENT = /\/\/.*|\/\*[\s\S]*?\*\//;
const HASH_COMMENT = /(?<![^\s])#.*/;

const words = (text: string): RegExp => new RegExp(`(?<![\\w$.])(?:${text.trim().split(/\s+/).join('|')})(?!\\w)`);

const TYPESCRIPT: Language = {
  comment: SLASH_COMMENT,
  string: /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`/,
  number: NUMBER,
  keyword: words(
    'import from export const let function async await return if else for of new throw try catch true false null undefined typeof string number boolean',
  ),
};

const SHELL: Language = {
  comment: HASH_COMMENT,
  string: /'[^']*'|"(?:[^"\\]|\\.)*"/,
  variable: /\$\{\w+\}|\$\w+|\$\([^)]*\)/,
  name: /(?<=\s)--?[a-zA-Z][\w-]*/,
  keyword: /(?<=^|\n|&& |\$ )(?:curl|npx|npm|node|claude|git|cd|export)(?= )/,
};

const JSON_LANGUAGE: Language = {
  name: /"(?:[^"\\\n]|\\.)*"(?=\s*:)/,
  string: /"(?:[^"\\\n]|\\.)*"/,
  number: NUMBER,
  keyword: /\b(?:true|false|null)\b/,
};

const HTML: Language = {
  comment: /<!--[\s\S]*?-->/,
  keyword: /<\/?[\w-]+|(?<=[\w"'\s])\/?>/,
  string: STRING,
  name: /(?<=\s)[\w-]+(?==)/,
};

const LANGUAGES: Readonly<Record<string, Language>> = {
  sh: SHELL,
  json: JSON_LANGUAGE,
  ts: TYPESCRIPT,
  js: TYPESCRIPT,
  http: { name: /(?<=^|\n)[A-Za-z-]+(?=: )/, keyword: /(?<=^|\n)(?:GET|POST|DELETE)(?= )/ },
  jsx: TYPESCRIPT,
  html: HTML,
  vue: HTML,
  css: { comment: /\/\*[\s\S]*?\*\//, string: STRING, name: /(?<=[{;\s])[\w-]+(?=: )/, number: NUMBER },
  python: {
    comment: HASH_COMMENT,
    string: /"""[\s\S]*?"""|b?"(?:[^"\\\n]|\\.)*"/,
    number: NUMBER,
    keyword: words('import from def return if else for in not or and is None True False lambda next any'),
  },
  go: {
    comment: SLASH_COMMENT,
    string: STRING,
    number: NUMBER,
    keyword: words('package import func var for range if else return true false nil string byte bool'),
  },
  php: {
    comment: /\/\*[\s\S]*?\*\/|\/\/.*/,
    string: STRING,
    variable: /\$\w+/,
    number: NUMBER,
    keyword: words('function foreach as if elseif else return null true false int string bool'),
  },
  ruby: {
    comment: HASH_COMMENT,
    string: STRING,
    number: NUMBER,
    keyword: words('require def end return unless if do true false nil'),
  },
};

/** The code as HTML. A language that is not known is escaped and has no colours. */
export function highlight(code: string, language: string): string {
  const known = Object.hasOwn(LANGUAGES, language) ? LANGUAGES[language] : undefined;
  if (known === undefined) return escapeHtml(code);
  const source = Object.entries(known)
    .map(([kind, pattern]) => `(?<${kind}>${pattern.source})`)
    .join('|');
  let html = '';
  let end = 0;
  for (const match of code.matchAll(new RegExp(source, 'g'))) {
    const [kind] = Object.entries(match.groups ?? {}).find(([, text]) => text !== undefined) ?? [''];
    html += `${escapeHtml(code.slice(end, match.index))}<span class="t-${kind}">${escapeHtml(match[0])}</span>`;
    end = match.index + match[0].length;
  }
  return html + escapeHtml(code.slice(end));
}
