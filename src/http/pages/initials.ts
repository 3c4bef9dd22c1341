// Initials instead of pictures: the pages show no photo of a person.

/** Created at the first name: it took 6 ms of the start. */
let segmenter: Intl.Segmenter | undefined;

/** The first letter of the first two words: `Harbor Club` is `HC`, `Ada` is `A`. Empty for a name without letters. */
export function initialsOf(name: string): string {
  return name
    .split(/\s+/)
    .filter((word) => /\p{L}|\p{N}/u.test(word))
    .slice(0, 2)
    .map(firstLetter)
    .join('')
    .toUpperCase();
}

/** One letter, for a face of a person. */
export function initialOf(name: string): string {
  return firstLetter(name.trim()).toUpperCase();
}

/** A whole letter with its accents, or a whole emoji. */
function firstLetter(word: string): string {
  const found = /[\p{L}\p{N}]/u.exec(word);
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  const [first] = segmenter.segment(word.slice(found?.index ?? 0));
  return first?.segment ?? '';
}
