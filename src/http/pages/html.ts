// HTML as a value: the template tag escapes every inserted value that is not Html already. Attributes must be in double
// quotes. Every page is built with it, so no text of a guest or a venue can become markup.

export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type Piece = Html | string | number | null | undefined | false | readonly Piece[];

export function html(parts: TemplateStringsArray, ...pieces: readonly Piece[]): Html {
  let text = parts[0] ?? '';
  pieces.forEach((piece, index) => {
    text += textOf(piece) + (parts[index + 1] ?? '');
  });
  return new Html(text);
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function textOf(piece: Piece): string {
  if (piece === null || piece === undefined || piece === false) return '';
  if (piece instanceof Html) return piece.text;
  if (typeof piece === 'object') return piece.map(textOf).join('');
  return String(piece).replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}
