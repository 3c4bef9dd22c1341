// Runs a TypeScript example as a program of its own, with the source of the SDK, and compares what it prints with the
// comment behind each `console.log(…);`.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { packageRoot } from '../../src/base/package-root.ts';
import { textDifferences } from './compare-answers.ts';

interface ProgramParts {
  readonly key: string;
  readonly folder: string;
  /** The address of the server, which stands for the one that the page shows. */
  readonly base: string;
}

/** The comments that say what is printed, in their order. */
const PRINTED = /^ *console\.log\(.*\); \/\/ (.*)$/gm;

let programs = 0;

/** What differs from the page; empty when the program ends and prints what it says. */
export async function runTypeScript(source: string, { key, folder, base }: ProgramParts): Promise<string[]> {
  const number = ++programs;
  const lines: string[] = [];
  const log = `logOfExample${number}`;
  (globalThis as Record<string, unknown>)[log] = (...words: unknown[]) => lines.push(words.join(' '));
  const file = join(folder, `example-${number}.mjs`);
  const { outputFiles } = await build({
    stdin: { contents: source, loader: 'ts', resolveDir: packageRoot },
    alias: { '@everyshare/sdk': join(packageRoot, 'sdk/src/everyshare.ts') },
    define: { 'process.env.KEY': JSON.stringify(key), 'console.log': `globalThis.${log}` },
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    logLevel: 'silent',
  });
  writeFileSync(file, outputFiles[0]?.contents ?? '');
  try {
    await import(pathToFileURL(file).href);
  } catch (error) {
    return [`the program fails: ${error instanceof Error ? error.message : String(error)}`];
  }
  const shown = [...source.matchAll(PRINTED)].map(([, text]) => text);
  return textDifferences(shown.join('\n'), lines.join('\n'), base);
}
