// Builds dist/: the program and its packages in one file, so that it starts quickly. Called by `npm run build`, and by
// bin/everyshare.js when dist/ is missing or older than the sources. `npm run build` also builds the SDK (sdk/build.js).

import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('.', import.meta.url));
const dist = join(root, 'dist');

/** Large, and needed only by the API reference: it gets its own bundle, which the first request for it loads. */
const SEPARATE_PACKAGE = '@scalar/fastify-api-reference';

/**
 * Builds in a temporary folder and moves the files into dist/, last main.js, which names the bundles. So a process that
 * starts during a build finds a complete program, and two concurrent builds cannot mix. The previous bundles stay,
 * because a running process may still have to load them.
 */
export async function build() {
  const temporary = join(root, `dist.${process.pid}`);
  try {
    await buildIn(temporary);
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

/** The texts of the hosted pages that the embed shows as well; its own are in the group `embed` of each language. */
const PAGE_WORDS = [
  'tally_in',
  'money_of',
  'funded_title',
  'funded_text',
  'completed_title',
  'expired_title',
  'canceled_title',
  'test_mode',
];

/** The embed as one small file: its modules, its stylesheet and its few words in every language. */
export async function bundleEmbed() {
  const esbuild = await import('esbuild');
  const folder = join(root, 'locales');
  const words = {};
  for (const file of readdirSync(folder).sort()) {
    const { page, embed } = JSON.parse(readFileSync(join(folder, file), 'utf8'));
    words[basename(file, '.json')] = { ...Object.fromEntries(PAGE_WORDS.map((name) => [name, page[name]])), ...embed };
  }
  const stylesheet = readFileSync(join(root, 'web/embed/embed.css'), 'utf8');
  const { code: css } = await esbuild.transform(stylesheet, { loader: 'css', minify: true, target: EMBED_TARGET });
  const { outputFiles } = await esbuild.build({
    absWorkingDir: root,
    entryPoints: ['web/embed/checkout-element.js'],
    bundle: true,
    write: false,
    format: 'esm',
    target: EMBED_TARGET,
    charset: 'utf8',
    minify: true,
    define: { EMBED_WORDS: JSON.stringify(words), EMBED_CSS: JSON.stringify(css.trim()) },
    logLevel: 'warning',
  });
  return `// Everyshare, the embed. Made by build.js from web/embed and locales.\n${outputFiles[0].text}`;
}

/** Browsers from 2024 on, which have light-dark(). */
const EMBED_TARGET = ['chrome123', 'firefox124', 'safari17.5'];
/** Committed, so that the server serves the same bytes from its sources as from dist/. */
export const EMBED_FILE = join(root, 'web/embed/v1.gen.js');

/** Written only when it changed, and in one step: a server may be reading it. */
async function buildEmbed(temporary) {
  const text = await bundleEmbed();
  const previous =
    statSync(EMBED_FILE, { throwIfNoEntry: false }) === undefined ? '' : readFileSync(EMBED_FILE, 'utf8');
  if (text === previous) return;
  const file = join(temporary, 'v1.gen.js');
  mkdirSync(temporary, { recursive: true });
  writeFileSync(file, text);
  renameSync(file, EMBED_FILE);
}

/** The options of the console's bundle; a test measures what they give. */
export const CONSOLE_OPTIONS = {
  absWorkingDir: root,
  entryPoints: { console: 'web/console/main.tsx', style: 'web/console/styles/console.css' },
  bundle: true,
  splitting: true,
  format: 'esm',
  target: EMBED_TARGET,
  jsx: 'automatic',
  jsxImportSource: 'preact',
  minify: true,
  charset: 'utf8',
  legalComments: 'none',
  entryNames: '[name]-[hash]',
  chunkNames: '[name]-[hash]',
  metafile: true,
  logLevel: 'warning',
};

/**
 * The console into dist/console: files with a hash in their names, last manifest.json, which names the first two. Files of
 * the previous build stay, because an open page may still load them.
 */
export async function buildConsole() {
  const esbuild = await import('esbuild');
  const temporary = join(root, `dist.${process.pid}.console`);
  const folder = join(dist, 'console');
  try {
    const { metafile } = await esbuild.build({ ...CONSOLE_OPTIONS, outdir: temporary });
    const files = Object.keys(metafile.outputs).map((file) => basename(file));
    const [script, style] = ['console-', 'style-'].map((start) => files.find((file) => file.startsWith(start)));
    mkdirSync(folder, { recursive: true });
    const previous = filesOfConsole(folder);
    for (const file of files) renameSync(join(temporary, file), join(folder, file));
    writeFileSync(join(temporary, 'manifest.json'), JSON.stringify({ script, style, files }));
    renameSync(join(temporary, 'manifest.json'), join(folder, 'manifest.json'));
    for (const file of readdirSync(folder))
      if (!['manifest.json', ...files, ...previous].includes(file)) rmSync(join(folder, file), { force: true });
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

/** None before the first build. */
function filesOfConsole(folder) {
  const file = join(folder, 'manifest.json');
  if (statSync(file, { throwIfNoEntry: false }) === undefined) return [];
  return JSON.parse(readFileSync(file, 'utf8')).files;
}

async function buildIn(temporary) {
  await buildEmbed(temporary);
  await buildConsole();
  const separate = await bundle(temporary, 'reference', SEPARATE_PACKAGE, {});
  const path = `./${separate}`;
  const main = await bundle(temporary, 'main', 'src/main.ts', {
    alias: { [SEPARATE_PACKAGE]: path },
    external: ['pg-native', 'sharp', path],
  });
  mkdirSync(dist, { recursive: true });
  const previous = bundlesNamedIn(join(dist, 'main.js'));
  const lines = [
    `// With ${separate}.`,
    "import { load } from '../bin/load.js';",
    `load(new URL('./${main}', import.meta.url));`,
  ];
  writeFileSync(join(temporary, 'main.js'), `${lines.join('\n')}\n`);
  for (const file of [separate, main, 'main.js']) renameSync(join(temporary, file), join(dist, file));
  for (const file of readdirSync(dist)) {
    const isNeeded = ['main.js', 'console', separate, main, ...previous].some((name) => file.startsWith(name));
    if (!isNeeded) rmSync(join(dist, file), { force: true });
  }
}

/** Bundles an entry and everything it needs into one file, with a content hash in its name. */
async function bundle(outdir, name, entry, options) {
  const esbuild = await import('esbuild');
  const { metafile } = await esbuild.build({
    absWorkingDir: root,
    entryPoints: { [name]: entry },
    entryNames: '[name]-[hash]',
    outdir,
    outExtension: { '.js': '.cjs' },
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    // A program that runs from V8's code cache cannot use import(): everything is loaded by require().
    supported: { 'dynamic-import': false },
    metafile: true,
    logLevel: 'warning',
    ...(name === 'main' ? FUNCTION_WRAPPER : {}),
    ...options,
  });
  const file = basename(Object.keys(metafile.outputs)[0]);
  if (name === 'main') await requireAscii(join(outdir, file));
  return file;
}

/**
 * bin/load.js reads the program one byte for each character. esbuild escapes every other character, but for the text of
 * a tagged template, which cannot be escaped: such text fails the build. Comments may say what they like.
 */
export async function requireAscii(file) {
  const esbuild = await import('esbuild');
  const { code } = await esbuild.transform(readFileSync(file, 'utf8'), {
    minifyWhitespace: true,
    legalComments: 'none',
    logLevel: 'silent',
  });
  const found = /.{0,60}[^\0-\x7f].{0,60}/u.exec(code);
  if (found === null) return;
  throw new Error(
    `the program would be read wrongly at "${found[0]}": in a tagged template, write an HTML entity or insert a string`,
  );
}

/** Wraps the bundle in a function that bin/load.js calls. */
const FUNCTION_WRAPPER = {
  // Newer versions of Node have `navigator`. Without it, pg detects the runtime by loading all of Node's fetch.
  define: { 'import.meta.url': '__url', navigator: '{"userAgent":"Node.js"}' },
  banner: {
    js: "(function (require, __filename) { const __url = require('node:url').pathToFileURL(__filename).href;",
  },
  footer: { js: '})' },
};

/** The bundles that this main.js names; none if the file does not exist. */
function bundlesNamedIn(file) {
  if (statSync(file, { throwIfNoEntry: false }) === undefined) return [];
  return readFileSync(file, 'utf8').match(/\w+-\w+\.cjs/g) ?? [];
}

/** The inputs of dist/, among them the loader, which must match the bundle, and the installed packages. */
const SOURCES = [
  'src',
  'sandbox',
  'sdk/src',
  'schemas',
  'web/console',
  'web/docs',
  'web/embed',
  'web/ui',
  'locales',
  'bin',
  'build.js',
  'node_modules/.package-lock.json',
];

function latestChange(path, isFolder) {
  if (!isFolder) return statSync(path).mtimeMs;
  const entries = readdirSync(path, { withFileTypes: true });
  return entries.reduce(
    (latest, entry) => Math.max(latest, latestChange(join(path, entry.name), entry.isDirectory())),
    0,
  );
}

/** Whether dist/ is newer than all of its inputs. An installed package without sources is always current. */
export function isCurrent() {
  const built = statSync(join(dist, 'main.js'), { throwIfNoEntry: false });
  if (built === undefined) return false;
  if (statSync(join(root, 'src/main.ts'), { throwIfNoEntry: false }) === undefined) return true;
  return SOURCES.every((name) => {
    const source = statSync(join(root, name), { throwIfNoEntry: false });
    return source === undefined || latestChange(join(root, name), source.isDirectory()) <= built.mtimeMs;
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  // The program does not need the SDK's package; those who write clients do.
  const { buildSdk } = await import('./sdk/build.js');
  await buildSdk();
  await build();
}
