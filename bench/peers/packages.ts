// The packages of the peers: installed beside package.json of this folder when a run needs them, and loaded from there.
// They are not in the product's lock file, so their types are not known here: each bench names what it uses.

import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { packageRoot } from '../../src/base/package-root.ts';

export const PEERS_FOLDER = join(packageRoot, 'bench', 'peers');

/** Installs what is missing or has another version. */
export function installPeers(): void {
  const { dependencies } = JSON.parse(readFileSync(join(PEERS_FOLDER, 'package.json'), 'utf8')) as {
    dependencies: Readonly<Record<string, string>>;
  };
  const isInstalled = Object.entries(dependencies).every(([name, version]) => installedVersion(name) === version);
  if (isInstalled) return;
  const { status } = spawnSync('npm', ['install', '--no-package-lock'], {
    cwd: PEERS_FOLDER,
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: process.platform === 'win32',
  });
  if (status !== 0) throw new Error('npm could not install the peers. Check the connection to the package registry.');
}

function installedVersion(name: string): string | null {
  const file = join(PEERS_FOLDER, 'node_modules', name, 'package.json');
  if (!existsSync(file)) return null;
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}

export async function loadPeer<T>(name: string): Promise<T> {
  const path = createRequire(join(PEERS_FOLDER, 'package.json')).resolve(name);
  return (await import(pathToFileURL(path).href)) as T;
}
