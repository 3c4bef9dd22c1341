// The login of a user: the address of a server and a key for it, in a file that only its owner can read.

import { chmodSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { commandError } from './cli-error.ts';

export interface Login {
  readonly url: string;
  readonly key: string;
  /** The name of the key's venue. */
  readonly venue: string;
  /** Signs what `listen` forwards: made at login, so that it stays the same. */
  readonly listenSecret: string;
}

export const loginFile = (configFolder: string): string => join(configFolder, 'login.json');

export function readLogin(configFolder: string): Login | null {
  const file = loginFile(configFolder);
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw commandError(`${file} cannot be read (${(error as NodeJS.ErrnoException).code}): check its permissions.`);
  }
  try {
    const login = JSON.parse(text) as Login;
    if ([login.url, login.key, login.venue, login.listenSecret].every((part) => typeof part === 'string')) return login;
  } catch {
    // Not JSON: the same remedy as for a file that is incomplete.
  }
  throw commandError(`${file} is not a login: run "everyshare login" again.`);
}

/** A crash leaves the old file or the new one, never a part. */
export function writeLogin(configFolder: string, login: Login): void {
  mkdirSync(configFolder, { recursive: true, mode: 0o700 });
  const file = loginFile(configFolder);
  const draft = `${file}.${process.pid}`;
  try {
    writeFileSync(draft, `${JSON.stringify(login, null, 2)}\n`, { mode: 0o600, flush: true });
    chmodSync(draft, 0o600);
    renameSync(draft, file);
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Also removes the drafts that killed logins have left: they have a key too. Returns whether there was anything. */
export function removeLogin(configFolder: string): boolean {
  const files = filesIn(configFolder).filter((name) => /^login\.json(\.\d+)?$/.test(name));
  for (const name of files) rmSync(join(configFolder, name), { force: true });
  return files.length > 0;
}

function filesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
