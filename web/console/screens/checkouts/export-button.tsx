// Saves the list with its filters as a CSV file, page after page.

import type { JSX } from 'preact';
import { useAction } from '../../client/action.ts';
import type { AddressQuery } from '../../client/address-query.ts';
import { usePlace } from '../../session.ts';
import { showToast } from '../../shell/announce.tsx';
import { Button } from '../../ui/controls.tsx';
import { saveFile } from '../../ui/download.ts';
import { messageOf } from '../../ui/parts.tsx';
import { listQuery } from './list-query.ts';

const PAGE_ROWS = 100;
const MAX_PAGES = 100;

export function ExportButton({ address }: { readonly address: AddressQuery }): JSX.Element {
  const { client } = usePlace();
  const save = useAction(async () => {
    const { before: _page, ...query } = listQuery(address);
    let text = '';
    let before: string | undefined;
    for (let page = 0; page < MAX_PAGES; page++) {
      const part = client.console.listConsoleCheckoutsCsv({
        ...query,
        limit: PAGE_ROWS,
        ...(before === undefined ? {} : { before }),
      });
      const { data, response } = await part.withResponse();
      // Every page begins with the names of the columns.
      text += page === 0 ? data : data.slice(data.indexOf('\n') + 1);
      before = nextOf(response.headers.get('link'));
      if (before === undefined) break;
    }
    saveFile('checkouts.csv', text);
    showToast(
      before === undefined
        ? 'The checkouts are saved as CSV.'
        : 'The newest 10,000 checkouts are saved. Choose a shorter time for the others.',
    );
  });
  return (
    <>
      {save.error !== undefined && <span class="red">{messageOf(save.error)}</span>}
      <Button icon="download" isBusy={save.isBusy} onClick={() => void save.run()}>
        Export CSV
      </Button>
    </>
  );
}

/** The `before` of the next page, from the header Link. */
function nextOf(link: string | null): string | undefined {
  const address = /<([^>]+)>;\s*rel="?next"?/.exec(link ?? '')?.[1];
  return address === undefined
    ? undefined
    : (new URL(address, location.origin).searchParams.get('before') ?? undefined);
}
