// Finds the words of a source file that a reader sees as language: the words of its identifiers, its comments and the
// titles of its tests. Other strings are left out: they are data, messages of the API, or text of another system.

import ts from 'typescript';

export interface FoundWord {
  readonly line: number;
  readonly word: string;
}

const TITLED = new Set(['describe', 'it', 'test']);

/** `MAX_TRIES`, `maxTries` and `max_tries` are the words max and tries. */
function wordsOfName(name: string): string[] {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .split(/[^A-Za-z]+/)
    .map((word) => word.toLowerCase());
}

function isTitle(node: ts.Node): boolean {
  const call = node.parent;
  if (!ts.isCallExpression(call) || call.arguments[0] !== node) return false;
  const [name = ''] = call.expression.getText().split(/[.(]/);
  return TITLED.has(name);
}

export function wordsIn(file: string, text: string): FoundWord[] {
  const tree = ts.createSourceFile(file, text, ts.ScriptTarget.ES2023, true);
  const found: FoundWord[] = [];
  const add = (at: number, words: readonly string[]): void => {
    const line = tree.getLineAndCharacterOfPosition(at).line + 1;
    for (const word of words) if (word !== '') found.push({ line, word });
  };
  const comments = new Set<number>();
  const addComments = (ranges: readonly ts.CommentRange[] | undefined): void => {
    for (const { pos, end } of ranges ?? []) {
      if (comments.has(pos)) continue;
      comments.add(pos);
      // What is in backticks or quotes is quoted: a name of another system, or a sample.
      const prose = text.slice(pos, end).replaceAll(/`[^`]*`|"[^"]*"/g, '');
      add(pos, prose.toLowerCase().split(/[^a-z]+/));
    }
  };
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node) || ts.isPrivateIdentifier(node)) add(node.getStart(), wordsOfName(node.text));
    if (ts.isStringLiteralLike(node) && isTitle(node)) add(node.getStart(), node.text.toLowerCase().split(/[^a-z]+/));
    addComments(ts.getLeadingCommentRanges(text, node.pos));
    addComments(ts.getTrailingCommentRanges(text, node.end));
    for (const child of node.getChildren()) visit(child);
  };
  visit(tree);
  return found;
}

/** Names and comments of SQL, without its strings. */
export function sqlWordsIn(text: string): FoundWord[] {
  return text.split('\n').flatMap((line, index) =>
    line
      .replaceAll(/'[^']*'/g, '')
      .toLowerCase()
      .split(/[^a-z]+/)
      .filter((word) => word !== '')
      .map((word) => ({ line: index + 1, word })),
  );
}
