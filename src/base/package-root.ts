// Where the package lies, so that migrations, schemas and documentation are found from the sources and from the bundle.

import { existsSync } from 'node:fs';
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
