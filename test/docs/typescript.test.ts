// The TypeScript of the guides and of the reference passes the type check, with the types of the SDK's source and the
// strict settings of the repository. examples.test.ts runs that of the guides.

import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { packageRoot } from '../../src/base/package-root.ts';
import { partnerOperations } from '../../src/run/operations.ts';
import { makeDocsSite } from '../support/docs-site.ts';
import { DOCUMENTS, readBlocks } from './read-blocks.ts';

/** Inside the repository, where the types of Node are found. */
const folder = mkdtempSync(join(packageRoot, 'node_modules', '.everyshare-snippets-'));
let programs: readonly (readonly [name: string, source: string])[];

beforeAll(async () => {
  const app = makeDocsSite('http://127.0.0.1:8080');
  const reference = await Promise.all(
    partnerOperations.map(async ({ id }) => {
      const { payload } = await app.inject(`/docs/reference/${id}.md`);
      return [`reference-${id}`, /```ts tab=TypeScript\n([\s\S]*?)```/.exec(payload)?.[1] ?? ''] as const;
    }),
  );
  await app.close();
  const guides = DOCUMENTS.flatMap(readBlocks)
    .filter(({ tab }) => tab === 'TypeScript')
    .map(({ place, text }) => [place.replace(/\W+/g, '-'), text] as const);
  programs = [...guides, ...reference.filter(([, source]) => source !== '')];
});
afterAll(() => rmSync(folder, { recursive: true }));

async function typeErrors(sources: readonly (readonly [string, string])[]): Promise<string> {
  for (const [name, source] of sources) writeFileSync(join(folder, `${name}.ts`), source);
  const options = {
    extends: join(packageRoot, 'tsconfig.json'),
    compilerOptions: {
      noEmit: true,
      incremental: false,
      paths: { '@everyshare/sdk': [join(packageRoot, 'sdk/src/everyshare.ts')] },
    },
    include: [],
    files: sources.map(([name]) => `${name}.ts`),
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(options));
  const compiler = join(packageRoot, 'node_modules', 'typescript-7', 'bin', 'tsc');
  const args = [compiler, '-p', folder, '--pretty', 'false'];
  const done = promisify(execFile)(process.execPath, args, { timeout: 60_000 });
  return done.then(
    () => '',
    (error: { stdout?: string }) => error.stdout ?? String(error),
  );
}

it('each program of the guides and of the reference passes the type check', { timeout: 90_000 }, async () => {
  expect(programs.length).toBeGreaterThan(50);
  expect(await typeErrors(programs)).toBe('');
});

it('a program that the SDK does not have fails it', { timeout: 90_000 }, async () => {
  const [name, source] = programs.find(([, text]) => text.includes('party_size: 6,')) ?? ['', ''];
  const wrong = source.replace('party_size: 6', "party_size: 'six'").replace('checkouts.create', 'checkouts.make');
  expect(await typeErrors([[name, wrong]])).toContain("Property 'make' does not exist");
});
