// Builds dist/: the whole program in a few files, packages included, so that it starts quickly. Called by `npm run
// build`, and by bin/everyshare.js when dist/ is missing or older than the sources.

import { mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('.', import.meta.url));

const BANNER =
  "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);";

/**
 * Built aside and moved in file by file, main.js last: a server that runs from dist/ keeps the files it has not loaded yet
 * (their names carry their content), and two builds at once cannot mix.
 */
export async function build() {
  const { build: bundle } = await import('esbuild');
  const aside = join(root, `dist.${process.pid}`);
  await bundle({
    absWorkingDir: root,
    entryPoints: ['src/main.ts'],
    outdir: aside,
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    external: ['pg-native'],
    banner: { js: BANNER },
    logLevel: 'warning',
  });
  mkdirSync(join(root, 'dist'), { recursive: true });
  const made = readdirSync(aside).sort((a, b) => Number(a === 'main.js') - Number(b === 'main.js'));
  for (const file of made) renameSync(join(aside, file), join(root, 'dist', file));
  rmSync(aside, { recursive: true });
}

function newest(folder) {
  let latest = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    latest = Math.max(latest, entry.isDirectory() ? newest(path) : statSync(path).mtimeMs);
  }
  return latest;
}

/** Whether dist/ is what the sources would give. A package without sources is what it is. */
export function isCurrent() {
  const built = statSync(join(root, 'dist', 'main.js'), { throwIfNoEntry: false });
  const sources = ['src', 'schemas'].filter(
    (name) => statSync(join(root, name), { throwIfNoEntry: false }) !== undefined,
  );
  return built !== undefined && sources.every((name) => newest(join(root, name)) <= built.mtimeMs);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await build();
