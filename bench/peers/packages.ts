// The packages of the peers: installed beside the package.json of their folder when a run needs them, and loaded from
// there. They are not in the product's lock file, so their types are not known here: each bench names what it uses.

import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { packageRoot } from '../../src/base/package-root.ts';

export const PEERS_FOLDER = join(packageRoot, 'bench', 'peers');
/** Medusa needs ten times as many packages as all others together, so it is installed apart from them. */
export const MEDUSA_FOLDER = join(PEERS_FOLDER, 'medusa');

/** Installs what is missing or has another version. No package runs a script, so that none downloads more. */
export function installPackages(folder: string): void {
  const { dependencies } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    dependencies: Readonly<Record<string, string>>;
  };
  if (missingPackages(dependencies, (name) => installedVersion(folder, name)).length === 0) return;
  const args = ['install', '--no-package-lock', '--ignore-scripts', '--no-audit', '--no-fund'];
  const { status } = spawnSync('npm', args, {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: process.platform === 'win32',
  });
  if (status !== 0) throw new Error('npm could not install the peers. Check the connection to the package registry.');
}

/** The names that are not installed, or in another version. */
export function missingPackages(
  dependencies: Readonly<Record<string, string>>,
  versionOf: (name: string) => string | null,
): string[] {
  return Object.keys(dependencies).filter((name) => versionOf(name) !== dependencies[name]);
}

function installedVersion(folder: string, name: string): string | null {
  const file = join(folder, 'node_modules', name, 'package.json');
  if (!existsSync(file)) return null;
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}

export async function loadPeer<T>(name: string): Promise<T> {
  const path = createRequire(join(PEERS_FOLDER, 'package.json')).resolve(name);
  return (await import(pathToFileURL(path).href)) as T;
}
