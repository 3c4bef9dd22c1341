// Builds dist/: the whole program in one file, packages included, so that it starts quickly. Called by `npm run build`, and by
// bin/everyshare.js when dist/ is missing or older than the sources.

import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('.', import.meta.url));
const dist = join(root, 'dist');

/** Large, and asked for only by whoever opens the reference: a bundle beside the program's, read with the first request. */
const APART = '@scalar/fastify-api-reference';

/**
 * Built aside and moved in, main.js last, which names the bundles: whoever starts meanwhile finds a whole program, and two builds at
 * once cannot mix. The bundles before stay for whoever has just read their names, or runs and has yet to read the one apart.
 */
export async function build() {
  const aside = join(root, `dist.${process.pid}`);
  const apart = await bundle(aside, 'apart', APART, {});
  const path = `./${apart}`;
  const main = await bundle(aside, 'main', 'src/main.ts', { alias: { [APART]: path }, external: ['pg-native', path] });
  mkdirSync(dist, { recursive: true });
  const before = namesIn(join(dist, 'main.js'));
  const lines = [
    `// With ${apart}.`,
    "import { load } from '../bin/load.js';",
    `load(new URL('./${main}', import.meta.url));`,
  ];
  writeFileSync(join(aside, 'main.js'), `${lines.join('\n')}\n`);
  for (const file of [apart, main, 'main.js']) renameSync(join(aside, file), join(dist, file));
  rmSync(aside, { recursive: true });
  for (const file of readdirSync(dist)) {
    const isNeeded = ['main.js', apart, main, ...before].some((name) => file.startsWith(name));
    if (!isNeeded) rmSync(join(dist, file), { force: true });
  }
}

/** One file of everything that this entry needs; its name carries its content. */
async function bundle(outdir, name, entry, more) {
  const { build: make } = await import('esbuild');
  const { metafile } = await make({
    absWorkingDir: root,
    entryPoints: { [name]: entry },
    entryNames: '[name]-[hash]',
    outdir,
    outExtension: { '.js': '.cjs' },
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    // What V8 kept of a program cannot import: everything is required.
    supported: { 'dynamic-import': false },
    metafile: true,
    logLevel: 'warning',
    ...(name === 'main' ? AS_A_FUNCTION : {}),
    ...more,
  });
  return basename(Object.keys(metafile.outputs)[0]);
}

/** For bin/load.js, which calls it. */
const AS_A_FUNCTION = {
  // A navigator, as newer Nodes have one: where there is none, pg finds out where it runs by loading all of Node's fetch.
  define: { 'import.meta.url': '__url', navigator: '{"userAgent":"Node.js"}' },
  banner: {
    js: "(function (require, __filename) { const __url = require('node:url').pathToFileURL(__filename).href;",
  },
  footer: { js: '})' },
};

/** The bundles that this main.js runs; none: there is no such file. */
function namesIn(file) {
  if (statSync(file, { throwIfNoEntry: false }) === undefined) return [];
  return readFileSync(file, 'utf8').match(/\w+-\w+\.cjs/g) ?? [];
}

/** What dist/ is made of. The loader is among it, for it and the bundle must fit each other; so are the packages that are installed. */
const SOURCES = ['src', 'sandbox', 'schemas', 'bin', 'build.js', 'node_modules/.package-lock.json'];

function newest(path, isFolder) {
  if (!isFolder) return statSync(path).mtimeMs;
  const entries = readdirSync(path, { withFileTypes: true });
  return entries.reduce((latest, entry) => Math.max(latest, newest(join(path, entry.name), entry.isDirectory())), 0);
}

/** Whether dist/ is what the sources would give. A package without sources is what it is. */
export function isCurrent() {
  const built = statSync(join(dist, 'main.js'), { throwIfNoEntry: false });
  if (built === undefined) return false;
  if (statSync(join(root, 'src'), { throwIfNoEntry: false }) === undefined) return true;
  return SOURCES.every((name) => {
    const source = statSync(join(root, name), { throwIfNoEntry: false });
    return source === undefined || newest(join(root, name), source.isDirectory()) <= built.mtimeMs;
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await build();
