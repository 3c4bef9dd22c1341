// Builds the newest release of migrations/releases.txt from its commit, beside this tree: `git archive`, the packages of
// its own lock file, its own build.

import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type ListedRelease, readReleaseList } from '../../migrations/expand-rules.ts';
import { packageRoot } from '../../src/base/package-root.ts';

const run = promisify(execFile);

export interface PreviousRelease extends ListedRelease {
  /** The folder of its sources and its dist/. */
  readonly folder: string;
}

export async function buildPreviousRelease(scratch: string): Promise<PreviousRelease> {
  const release = readReleaseList(readFileSync(join(packageRoot, 'migrations', 'releases.txt'), 'utf8')).at(-1);
  if (release === undefined) throw new Error('migrations/releases.txt lists no release');
  await requireCommit(release);
  const folder = join(scratch, release.version);
  mkdirSync(folder);
  const archive = join(scratch, 'previous.tar');
  await run('git', ['archive', '--output', archive, release.commit], { cwd: packageRoot });
  await run('tar', ['-xf', archive, '-C', folder]);
  if (packagesOf(folder) === packagesOf(packageRoot)) {
    symlinkSync(join(packageRoot, 'node_modules'), join(folder, 'node_modules'));
  } else await run('npm', ['ci', '--no-audit', '--no-fund'], { cwd: folder });
  await run(process.execPath, ['build.js'], { cwd: folder, maxBuffer: 16_000_000 });
  return { ...release, folder };
}

async function requireCommit({ version, commit }: ListedRelease): Promise<void> {
  await run('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: packageRoot }).catch(() => {
    throw new Error(
      `this clone has no commit ${commit} of release ${version}, so that release cannot be built: run "git fetch --unshallow"`,
    );
  });
}

/** Both releases run with one set of packages if their lock files name the same ones. */
function packagesOf(folder: string): string {
  const { packages } = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { readonly version?: string; readonly resolved?: string }>;
  };
  const lines = Object.entries(packages).filter(([path]) => path.startsWith('node_modules/'));
  return JSON.stringify(lines.map(([path, { version, resolved }]) => [path, version, resolved]));
}
