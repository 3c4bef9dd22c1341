// A secret that the operator did not set: created once and stored in a file of DATA_DIR that only its owner can read.
// Two processes that start at the same time read the same secret.

import { linkSync, mkdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

export interface SecretFile {
  readonly text: string;
  readonly isNew: boolean;
}

export function readOrCreateSecret(file: string, create: () => string): SecretFile {
  const known = read(file);
  if (known !== null) return { text: known, isNew: false };
  mkdirSync(dirname(file), { recursive: true });
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, `${create()}\n`, { mode: 0o600, flush: true });
  try {
    // A link fails when the name exists, so the second process reads the complete file of the first.
    linkSync(draft, file);
    return { text: read(file) ?? '', isNew: true };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return { text: read(file) ?? '', isNew: false };
  } finally {
    unlinkSync(draft);
  }
}

function read(file: string): string | null {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
