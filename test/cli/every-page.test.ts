// A command reads every page of a list. A list without an end stops it with an error.

import { expect, it } from 'vitest';
import { everyPage } from '../../src/cli/every-page.ts';

it('everyPage reads all pages, each from the last id of the one before', async () => {
  const rows = ['e', 'd', 'c', 'b', 'a'].map((id) => ({ id }));
  const after = (id: string | null) => rows.slice(id === null ? 0 : rows.findIndex((row) => row.id === id) + 1);
  expect(await everyPage(async (before) => after(before).slice(0, 2))).toEqual(rows);
});

it('everyPage ends with an error when the list has no end', async () => {
  await expect(everyPage(async () => [{ id: 'same' }])).rejects.toThrow('the list has more than 10000 pages');
});
