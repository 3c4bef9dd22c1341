// Builds dist/: the whole program in one file, packages included, so that it starts quickly. Called by `npm run build`, and by
// bin/everyshare.js when dist/ is missing or older than the sources.

import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('.', import.meta.url));
const dist = join(root, 'dist');

/**
 * Built aside and moved in, main.js last, which names the bundle: whoever starts meanwhile finds a whole program, and two builds at
 * once cannot mix. The bundle before stays for whoever has just read its name; a server that runs has read all of its own.
 */
export async function build() {
  const { build: bundle } = await import('esbuild');
  const aside = join(root, `dist.${process.pid}`);
  const { metafile } = await bundle({
    absWorkingDir: root,
    entryPoints: ['src/main.ts'],
    entryNames: '[name]-[hash]',
    outdir: aside,
    outExtension: { '.js': '.cjs' },
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    external: ['pg-native'],
    define: { 'import.meta.url': '__url' },
    banner: { js: "const __url = require('node:url').pathToFileURL(__filename).href;" },
    metafile: true,
    logLevel: 'warning',
  });
  const name = basename(Object.keys(metafile.outputs)[0]);
  mkdirSync(dist, { recursive: true });
  const before = nameIn(join(dist, 'main.js'));
  const lines = ["import { load } from '../bin/load.js';", `load(new URL('./${name}', import.meta.url));`, ''];
  writeFileSync(join(aside, 'main.js'), lines.join('\n'));
  for (const file of [name, 'main.js']) renameSync(join(aside, file), join(dist, file));
  rmSync(aside, { recursive: true });
  for (const file of readdirSync(dist)) {
    const isNeeded = file === 'main.js' || [name, before].some((one) => one !== null && file.startsWith(one));
    if (!isNeeded) rmSync(join(dist, file), { force: true });
  }
}

/** Of the bundle that this main.js runs; null: there is none. */
function nameIn(file) {
  if (statSync(file, { throwIfNoEntry: false }) === undefined) return null;
  return /main-\w+\.cjs/.exec(readFileSync(file, 'utf8'))?.[0] ?? null;
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
  const built = statSync(join(dist, 'main.js'), { throwIfNoEntry: false });
  const sources = ['src', 'schemas'].filter(
    (name) => statSync(join(root, name), { throwIfNoEntry: false }) !== undefined,
  );
  return built !== undefined && sources.every((name) => newest(join(root, name)) <= built.mtimeMs);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await build();
