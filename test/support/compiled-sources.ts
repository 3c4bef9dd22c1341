// Compiles every module but the tests themselves before a run, so that the workers load them as Node loads any program: all
// of them take two seconds, and those that changed since the last run next to nothing. Vite needs a round trip to its one process for each module in each worker, and reads an import
// through an object at each use.

import { mkdirSync, readdirSync, readFileSync, renameSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type Plugin as EsbuildPlugin } from 'esbuild';
import type { Plugin } from 'vitest/config';

const ROOT = resolve(import.meta.dirname, '../..');
const FOLDERS = ['src', 'sandbox', 'schemas', 'sdk/src', 'migrations', 'bench', 'test'];
/** Git ignores it, and nothing that is built for users lies in it. */
const OUTPUT = join(ROOT, 'dist.tests');
/** For `server.deps.external`: Node loads these, not Vite. */
export const COMPILED = /\/dist\.tests\//;

/** Decide what is made of a source: this file, and the version of esbuild. */
const RULES = [import.meta.filename, join(ROOT, 'package.json')];

let compiled: Promise<ReadonlySet<string>> | null = null;

/** Leads the imports of the tests to the compiled modules. */
export function compiledSources(): Plugin {
  let sources: ReadonlySet<string> = new Set();
  return {
    name: 'everyshare:compiled-sources',
    enforce: 'pre',
    async configResolved() {
      compiled ??= compile();
      sources = await compiled;
    },
    resolveId(path, importer) {
      if (!path.startsWith('.') || importer === undefined) return null;
      const source = resolve(dirname(importer), path);
      return sources.has(source) ? outputOf(source) : null;
    },
  };
}

const outputOf = (source: string): string => join(OUTPUT, relative(ROOT, source).replace(/\.ts$/, '.js'));

function listSources(): string[] {
  return FOLDERS.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !/\.(test|d)\.ts$|(^|\/)node_modules\//.test(name))
      .map((name) => join(ROOT, folder, name)),
  );
}

async function compile(): Promise<ReadonlySet<string>> {
  const startedAt = new Date();
  const sources = new Set(listSources());
  const rulesChanged = Math.max(...RULES.map((path) => statSync(path).ctimeMs));
  const { outputFiles } = await build({
    absWorkingDir: ROOT,
    entryPoints: [...sources].filter((source) => isStale(source, rulesChanged)),
    outbase: ROOT,
    outdir: OUTPUT,
    bundle: true,
    packages: 'external',
    plugins: [oneByOne(sources)],
    format: 'esm',
    platform: 'node',
    target: 'node20',
    sourcemap: 'linked',
    sourcesContent: false,
    write: false,
    logLevel: 'warning',
  });
  replaceFile(join(OUTPUT, 'package.json'), Buffer.from('{"type":"module"}'), startedAt);
  for (const { path, contents } of outputFiles) replaceFile(path, contents, startedAt);
  return sources;
}

/** By the time at which the file came to be as it is, which a copy or a rename also changes. */
function isStale(source: string, rulesChanged: number): boolean {
  const compiledAt = statSync(outputOf(source), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return compiledAt <= Math.max(statSync(source).ctimeMs, rulesChanged);
}

/** Each module stays one, and finds its folder where its source is. */
function oneByOne(sources: ReadonlySet<string>): EsbuildPlugin {
  return {
    name: 'one-by-one',
    setup({ onLoad, onResolve }) {
      onResolve({ filter: /^\./ }, ({ path, resolveDir, importer }) => {
        const target = resolve(resolveDir, path);
        if (!sources.has(target)) return { path: pathToFileURL(target).href, external: true };
        const fromHere = relative(dirname(outputOf(importer)), outputOf(target));
        return { path: fromHere.startsWith('.') ? fromHere : `./${fromHere}`, external: true };
      });
      onLoad({ filter: /\.ts$/ }, ({ path }) => {
        const text = readFileSync(path, 'utf8');
        const url = JSON.stringify(pathToFileURL(path).href);
        const folder = JSON.stringify(dirname(path));
        const contents = text.replaceAll('import.meta.url', url).replaceAll('import.meta.dirname', folder);
        return { contents, loader: 'ts' };
      });
    },
  };
}

/** In one step: another run in the same tree may be reading the file. A source that changes meanwhile is newer than this. */
function replaceFile(path: string, contents: Uint8Array, startedAt: Date): void {
  const temporary = `${path}.${process.pid}`;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(temporary, contents);
  utimesSync(temporary, startedAt, startedAt);
  renameSync(temporary, path);
}
