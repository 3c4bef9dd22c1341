// The documents name files of this repository as they are called now. A reader who follows a name must find the file.

import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { packageRoot } from '../../src/base/package-root.ts';

const TOP = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'sandbox/README.md', 'sdk/README.md'];
const documents = [
  ...TOP,
  ...readdirSync(join(packageRoot, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md'))
    .map((file) => `docs/${file}`),
];

/** A path that begins with a folder of ours. One with a leading slash is an address of the service. */
const PATH =
  /(?<![\w/.])(?:bench|bin|docs|locales|migrations|sandbox|schemas|sdk|src|test|web)\/[\w./-]*\w\.(?:ts|js|sql|json|md)\b/g;

/** Inside backticks: a file by its name, or by its path below src/ or src/domain/, as the pages on the code write it. */
const SHORT_NAME = /^[\w-]+(?:\/[\w-]+)*\.(?:ts|sql)$/;
const PAGES_ON_CODE =
  /^(README|CONTRIBUTING|docs\/ARCHITECTURE|docs\/decisions\/.*|docs\/scaling|sandbox\/README)(\.md)?$/;

const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: packageRoot,
  encoding: 'utf8',
});
const files = listed.split('\n').filter((file) => existsSync(join(packageRoot, file)));
const ROOTS = ['', 'src/', 'src/domain/', 'src/domain/checkouts/', 'sandbox/', 'test/'];

function isFile(name: string): boolean {
  if (!name.includes('/')) return files.some((file) => file === name || file.endsWith(`/${name}`));
  return ROOTS.some((root) => files.includes(`${root}${name}`));
}

const read = (document: string): string => readFileSync(join(packageRoot, document), 'utf8');
const pathsIn = (document: string): string[] => read(document).match(PATH) ?? [];
const shortNamesIn = (document: string): string[] =>
  [...read(document).matchAll(/`([^`\s]+)`/g)].map(([, name = '']) => name).filter((name) => SHORT_NAME.test(name));

it.each(documents)('%s names only files that exist', (document) => {
  expect(pathsIn(document).filter((path) => !existsSync(join(packageRoot, path)))).toEqual([]);
  if (PAGES_ON_CODE.test(document)) expect(shortNamesIn(document).filter((name) => !isFile(name))).toEqual([]);
});

it('the documents name many files, so that the check above sees them', () => {
  expect(documents.flatMap(pathsIn).length).toBeGreaterThan(50);
  expect(documents.flatMap(shortNamesIn).length).toBeGreaterThan(20);
});
