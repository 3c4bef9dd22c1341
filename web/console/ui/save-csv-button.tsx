// The button that saves a CSV file, and says when the list has more lines than the file.

import type { JSX } from 'preact';
import { useAction } from '../client/action.ts';
import { showToast } from '../shell/announce.tsx';
import { Button } from './controls.tsx';
import { saveFile } from './download.ts';
import { messageOf } from './parts.tsx';

interface CsvFile {
  readonly text: string;
  /** What the file has of a longer list: `the newest 10,000 lines`. Null: it has the whole list. */
  readonly part: string | null;
}

interface Props {
  /** Of the file, without its ending: `checkouts`. */
  readonly name: string;
  readonly makeFile: () => Promise<CsvFile>;
  readonly children: string;
}

export function SaveCsvButton({ name, makeFile, children }: Props): JSX.Element {
  const save = useAction(async () => {
    const { text, part } = await makeFile();
    saveFile(`${name}.csv`, text);
    showToast(part === null ? `${name}.csv is saved.` : `${name}.csv has ${part}.`);
  });
  return (
    <>
      {save.error !== undefined && <span class="red">{messageOf(save.error)}</span>}
      <Button icon="download" isBusy={save.isBusy} onClick={() => void save.run()}>
        {children}
      </Button>
    </>
  );
}
