// The root folder of the package, so that sources and bundle find migrations, schemas and documentation alike.

import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

function find(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'migrations'))) {
    const up = dirname(folder);
    if (up === folder) throw new Error('the folder "migrations" is missing from the package');
    folder = up;
  }
  return folder;
}

export const packageRoot = find();

export function packageVersion(): string {
  return (JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8')) as { version: string }).version;
}
