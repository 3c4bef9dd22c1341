// Compiles every module but the tests themselves before a run, in about a second, so that the workers load them as Node
// loads any program. Vite needs a round trip to its one process for each module in each worker, and reads an import
// through an object at each use.

import { mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
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
  const sources = new Set(listSources());
  const { outputFiles } = await build({
    absWorkingDir: ROOT,
    entryPoints: [...sources],
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
  writeChanged(join(OUTPUT, 'package.json'), Buffer.from('{"type":"module"}'));
  for (const { path, contents } of outputFiles) writeChanged(path, contents);
  return sources;
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

/** In one step: another run in the same tree may be reading the file. */
function writeChanged(path: string, contents: Uint8Array): void {
  const isSame =
    statSync(path, { throwIfNoEntry: false })?.size === contents.length && readFileSync(path).equals(contents);
  if (isSame) return;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(`${path}.${process.pid}`, contents);
  renameSync(`${path}.${process.pid}`, path);
}
