// The compressed size of the console's JavaScript: what the first page loads, its screen included, and the largest of what a
// further screen loads. The results are sizes, not ratios.

import type { Bench, PreparedBench } from './bench.ts';
import type { BenchFixture } from './fixture.ts';
import { scriptsOf, textOf, totalBytes } from './scripts.ts';

const KB = 1024;
const SIZE = {
  unit: 'KB',
  better: 'less',
  isSize: true,
  rounds: { full: 1, quick: 1 },
  sides: { ours: 'the scripts of the page', base: 'the maximum' },
} as const;

export const consoleFirstLoad: Bench = {
  ...SIZE,
  name: 'console-first-load',
  floor: 120,
  goal: 90,
  note: 'Every script that the console loads before its home screen is shown, gzipped.',
  prepare: (fixture) =>
    prepare(fixture, 120, async ({ first, screens }) => totalBytes(new Set([...first, ...screens.slice(0, 1).flat()]))),
};

export const consoleFurtherPage: Bench = {
  ...SIZE,
  name: 'console-further-page',
  floor: 60,
  goal: 40,
  note: 'The largest screen of the console after the first one: the scripts that it alone loads, gzipped.',
  prepare: (fixture) =>
    prepare(fixture, 60, async ({ screens }) =>
      Math.max(...(await Promise.all(screens.map((screen) => totalBytes(screen))))),
    ),
};

interface Scripts {
  /** What every page loads. */
  readonly first: readonly string[];
  /** What each screen loads beside it; the home screen is the first. */
  readonly screens: readonly (readonly string[])[];
}

async function prepare(
  fixture: BenchFixture,
  most: number,
  measure: (scripts: Scripts) => Promise<number>,
): Promise<PreparedBench> {
  const server = await fixture.getServer();
  const ours = async (): Promise<number> => (await measure(await readScripts(`http://127.0.0.1:${server.port}`))) / KB;
  return { ours, base: async () => most, close: () => server.stop() };
}

async function readScripts(address: string): Promise<Scripts> {
  const page = await textOf(`${address}/console`, {});
  const entry = new URL(/<script [^>]*src="([^"]+)"/.exec(page)?.[1] ?? '', address).href;
  const first = await scriptsOf([entry], true);
  const lazy = [...(await textOf(entry, {})).matchAll(/import\("([^"]+)"\)/g)].map(
    ([, path]) => new URL(path ?? '', entry).href,
  );
  const screens = await Promise.all(
    [...new Set(lazy)].map(async (url) => [...(await scriptsOf([url], true))].filter((script) => !first.has(script))),
  );
  if (screens.length === 0) throw new Error('the console loads no screen');
  return { first: [...first], screens };
}
