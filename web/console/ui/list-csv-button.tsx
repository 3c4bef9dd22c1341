// Saves a list as a CSV file that the browser makes, where the server makes none.

import type { JSX } from 'preact';
import { type Columns, csvText } from './csv.ts';
import { number } from './format.ts';
import { SaveCsvButton } from './save-csv-button.tsx';

/** The most objects that the API gives in a page. */
export const MAX_PAGE_ROWS = 100;
const MAX_ROWS = 10_000;

interface Props<T> {
  /** Of the file, without its ending: `keys`. */
  readonly name: string;
  readonly columns: Columns<T>;
  /** The list with the filters of the screen: at most so many rows of it. */
  readonly rows: (limit: number) => readonly T[] | Promise<readonly T[]>;
  /** The list has more rows than the API gives. */
  readonly isCut?: boolean;
}

export function ListCsvButton<T>({ name, columns, rows, isCut = false }: Props<T>): JSX.Element {
  const makeFile = async () => {
    // One row more than the file gets says whether the list has more.
    const read = await rows(MAX_ROWS + 1);
    const kept = read.slice(0, MAX_ROWS);
    const isWhole = !isCut && read.length === kept.length;
    const part = isWhole ? null : `the first ${number(kept.length)} lines. The list has more`;
    return { text: csvText(columns, kept), part };
  };
  return (
    <SaveCsvButton name={name} makeFile={makeFile}>
      CSV
    </SaveCsvButton>
  );
}
