// Builds dist/: the whole program in a few files, packages included, so that it starts quickly. Called by `npm run
// build`, and by bin/everyshare.js when dist/ is missing or older than the sources.

import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('.', import.meta.url));

const BANNER =
  "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);";

export async function build() {
  const { build: bundle } = await import('esbuild');
  rmSync(join(root, 'dist'), { recursive: true, force: true });
  await bundle({
    absWorkingDir: root,
    entryPoints: ['src/main.ts'],
    outdir: 'dist',
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    external: ['pg-native'],
    banner: { js: BANNER },
    logLevel: 'warning',
  });
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
