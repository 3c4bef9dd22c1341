// Builds sdk/dist: one bundle each for ESM and CommonJS, and for both the declarations that the entry leads to. Called by
// the build.js of the repository; skipped while dist is newer than the sources.

import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('.', import.meta.url));
const dist = join(root, 'dist');
const source = join(root, 'src');
const LAST = 'everyshare.js';

/**
 * Builds in a temporary folder and moves the files into dist/, last everyshare.js, by whose time a build is current. So a
 * program that starts meanwhile finds complete files, and two builds at once do not disturb one another.
 */
export async function buildSdk() {
  if (isCurrent()) return;
  const temporary = join(root, `dist.${process.pid}`);
  try {
    await Promise.all([bundle(temporary, 'esm', 'js'), bundle(temporary, 'cjs', 'cjs'), declare(temporary)]);
    mkdirSync(dist, { recursive: true });
    const files = readdirSync(temporary).filter((file) => file !== LAST);
    for (const file of [...files, LAST]) renameSync(join(temporary, file), join(dist, file));
    for (const file of readdirSync(dist))
      if (![...files, LAST].includes(file)) rmSync(join(dist, file), { force: true });
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

function isCurrent() {
  const built = statSync(join(dist, LAST), { throwIfNoEntry: false });
  if (built === undefined) return false;
  const inputs = [...readdirSync(source).map((file) => join(source, file)), fileURLToPath(import.meta.url)];
  return inputs.every((file) => statSync(file).mtimeMs <= built.mtimeMs);
}

/** The options of a bundle; a test measures what they give. */
export const BUNDLE_OPTIONS = {
  entryPoints: [join(source, 'everyshare.ts')],
  bundle: true,
  platform: 'neutral',
  target: 'es2022',
  logLevel: 'warning',
};

async function bundle(folder, format, extension) {
  const esbuild = await import('esbuild');
  await esbuild.build({ ...BUNDLE_OPTIONS, format, outfile: join(folder, `everyshare.${extension}`) });
}

/**
 * Each source declares the types of what it exports, so no other file has to be read. A source that only the service
 * imports, such as agent-configs.ts, is no part of the package.
 */
async function declare(folder) {
  const { default: ts } = await import('typescript');
  mkdirSync(folder, { recursive: true });
  const reached = ['everyshare.ts'];
  for (const file of reached) {
    const { outputText, diagnostics } = ts.transpileDeclaration(readFileSync(join(source, file), 'utf8'), {
      fileName: file,
      reportDiagnostics: true,
      compilerOptions: { target: ts.ScriptTarget.ES2022, strict: true, isolatedDeclarations: true },
    });
    // Without the library's types the compiler declares a method with a symbol for its name twice, once as a property.
    const declarations = outputText.replaceAll(/^ +\[Symbol\.\w+\]: \(\) => .*\n/gm, '');
    for (const [, name] of declarations.matchAll(/(?:from|import\() ?'\.\/([\w.-]+\.ts)'/g))
      if (!reached.includes(name)) reached.push(name);
    const [problem] = diagnostics ?? [];
    if (problem !== undefined)
      throw new Error(`sdk/src/${file}: ${ts.flattenDiagnosticMessageText(problem.messageText, ' ')}`);
    for (const [end, extension] of [
      ['.d.ts', '.js'],
      ['.d.cts', '.cjs'],
    ])
      writeFileSync(
        join(folder, file.replace(/\.ts$/, end)),
        declarations.replaceAll(/(from '\.\/[\w.-]+)\.ts'/g, `$1${extension}'`),
      );
  }
}
