// HTML as a value: what is put into a template is escaped, unless it is HTML already. Attributes are written in double
// quotes. There is no other way to make a page, so no text of a guest or a venue can become markup.

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

const SIGNS: Readonly<Record<string, string>> = {
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
  return String(piece).replace(/[&<>"']/g, (sign) => SIGNS[sign] ?? '');
}
