// The lists of domains that belong to no venue: public mail providers, and suffixes under which names are registered.
// They are data, in the two text files beside this one.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../base/package-root.ts';

const lists = new Map<string, ReadonlySet<string>>();

function listOf(file: string): ReadonlySet<string> {
  let list = lists.get(file);
  if (list === undefined) {
    const lines = readFileSync(join(packageRoot, 'src', 'domain', 'go-live', file), 'utf8').split('\n');
    list = new Set(lines.filter((line) => line !== '' && !line.startsWith('#')));
    lists.set(file, list);
  }
  return list;
}

/** `domain` in small letters. A subdomain of a provider counts as the provider. */
export function isPublicMailProvider(domain: string): boolean {
  const labels = domain.split('.');
  const providers = listOf('public-mail-providers.txt');
  return labels.some((_, index) => providers.has(labels.slice(index).join('.')));
}

/** `domain` in small letters. */
export function isPublicSuffix(domain: string): boolean {
  return listOf('public-suffixes.txt').has(domain);
}
