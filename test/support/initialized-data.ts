// A DATA_DIR after a first start, for tests of what comes later. A first start creates and migrates a PostgreSQL, which
// takes three times the processor time of a start with data, so a run does it once, and each test copies the folder.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';
import { build, isCurrent } from '../../build.js';
import { startProgram } from './run-program.ts';
import { waitFor } from './wait-for.ts';

export interface InitializedData {
  readonly DATA_DIR: string;
  /** The keys of the sandbox venue, which only the first start prints. */
  readonly secretKey: string;
  readonly publishableKey: string;
}

let template: Promise<InitializedData> | null = null;

/** Copies the template into an empty folder. All copies have the same data, keys and passwords. */
export async function copyInitializedData(folder: string): Promise<InitializedData> {
  template ??= createTemplate();
  const { DATA_DIR, ...keys } = await template;
  // Unlike fs.cp, it keeps the owners, on which PostgreSQL insists.
  execFileSync('cp', ['-a', `${DATA_DIR}/.`, folder]);
  return { DATA_DIR: folder, ...keys };
}

async function createTemplate(): Promise<InitializedData> {
  const DATA_DIR = join(inject('runFolder'), 'initialized');
  const result = `${DATA_DIR}.json`;
  if (!claim(DATA_DIR)) {
    await waitFor('another worker creates the data', () => existsSync(result), { timeoutMs: 150_000, intervalMs: 50 });
    return JSON.parse(readFileSync(result, 'utf8'));
  }
  if (!isCurrent()) await build();
  const program = await startProgram(['start'], { DATA_DIR });
  const printed = program.out();
  await program.stop('SIGTERM');
  const keyOf = (kind: RegExp): string => kind.exec(printed)?.[0] ?? '';
  const created: InitializedData = {
    DATA_DIR,
    secretKey: keyOf(/svc_test_[A-Za-z0-9]{32}/),
    publishableKey: keyOf(/pk_test_[A-Za-z0-9]{32}/),
  };
  // In one step: another worker may be waiting for it.
  writeFileSync(`${result}.new`, JSON.stringify(created));
  renameSync(`${result}.new`, result);
  return created;
}

/** One worker of a run creates the folder, and with it the data. */
function claim(folder: string): boolean {
  try {
    mkdirSync(folder, { mode: 0o700 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}
