// Saves a list with its filters as a CSV file, page after page.

import type { JSX } from 'preact';
import type { ApiPromise } from '../../../sdk/src/api-promise.ts';
import { number } from './format.ts';
import { SaveCsvButton } from './save-csv-button.tsx';

const DEFAULT_PAGE_ROWS = 100;
const MAX_PAGES = 100;

interface Page {
  readonly limit: number;
  readonly before?: string;
}

interface Props {
  /** Of the file, without its ending: `checkouts`. */
  readonly name: string;
  /** One page of the list, with the filters of the screen. */
  readonly read: (page: Page) => ApiPromise<string>;
  /** The most lines that the operation gives at once, if it is another number than 100. */
  readonly pageRows?: number;
  readonly children?: string;
}

export function CsvButton({ name, read, pageRows = DEFAULT_PAGE_ROWS, children = 'CSV' }: Props): JSX.Element {
  const makeFile = async () => {
    const { text, isComplete } = await readAll(read, pageRows);
    const newest = `the newest ${number(pageRows * MAX_PAGES)} lines. Choose a shorter time for the others`;
    return { text, part: isComplete ? null : newest };
  };
  return (
    <SaveCsvButton name={name} makeFile={makeFile}>
      {children}
    </SaveCsvButton>
  );
}

async function readAll(
  read: Props['read'],
  pageRows: number,
): Promise<{ readonly text: string; readonly isComplete: boolean }> {
  let text = '';
  let before: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const part = read({ limit: pageRows, ...(before === undefined ? {} : { before }) });
    const { data, response } = await part.withResponse();
    // Every page begins with the names of the columns.
    text += page === 0 ? data : data.slice(data.indexOf('\n') + 1);
    before = nextOf(response.headers.get('link'));
    if (before === undefined) return { text, isComplete: true };
  }
  return { text, isComplete: false };
}

/** The `before` of the next page, from the header Link. */
function nextOf(link: string | null): string | undefined {
  const address = /<([^>]+)>;\s*rel="?next"?/.exec(link ?? '')?.[1];
  return address === undefined
    ? undefined
    : (new URL(address, location.origin).searchParams.get('before') ?? undefined);
}
