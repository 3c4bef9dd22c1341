// The documents name files of this repository as they are called now. A reader who follows a name must find the file.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { packageRoot } from '../../src/base/package-root.ts';

const TOP = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'sandbox/README.md'];
const documents = [
  ...TOP,
  ...readdirSync(join(packageRoot, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md'))
    .map((file) => `docs/${file}`),
];

/** A path that begins with a folder of ours. One with a leading slash is an address of the service. */
const PATH =
  /(?<![\w/.])(?:bench|bin|docs|locales|migrations|sandbox|schemas|src|test|web)\/[\w./-]*\w\.(?:ts|js|sql|json|md)\b/g;

it.each(documents)('%s names only files that exist', (document) => {
  const named = readFileSync(join(packageRoot, document), 'utf8').match(PATH) ?? [];
  expect(named.filter((path) => !existsSync(join(packageRoot, path)))).toEqual([]);
});

it('the documents name many files, so that the check above sees them', () => {
  const named = documents.flatMap((document) => readFileSync(join(packageRoot, document), 'utf8').match(PATH) ?? []);
  expect(named.length).toBeGreaterThan(50);
});
