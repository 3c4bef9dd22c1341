// npm run mutants [-- --only WORDS] [--json]: plants each known bug of list.ts, one at a time, in a copy of the tree, and asks its
// tests, or the simulation, whether they notice. Ends with 1 when one survives, when a bug can no longer be planted, or
// when the tests fail without any. The report names the test that caught each.

import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { packageRoot } from '../../src/base/package-root.ts';
import { MUTANTS, type Mutant } from './list.ts';

interface Verdict {
  readonly mutant: Mutant;
  /** The first that failed; null: it survived. */
  readonly caughtBy: string | null;
  readonly seconds: number;
}

interface Ran {
  readonly code: number;
  readonly output: string;
}

/** As many seeds as the issue allows a planted bug to live. */
const SEEDS = 200;
const LONGEST_MS = 10 * 60_000;

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Everything but what is made anew: the copy is a tree of its own, with the packages of this one. */
function copyOfTheTree(): string {
  const copy = mkdtempSync(join(tmpdir(), 'everyshare-mutants-'));
  const left = new Set(['node_modules', '.git', 'dist', '.data', 'screens'].map((name) => join(packageRoot, name)));
  cpSync(packageRoot, copy, { recursive: true, filter: (source) => !left.has(source) });
  symlinkSync(join(packageRoot, 'node_modules'), join(copy, 'node_modules'));
  return copy;
}

function run(copy: string, args: readonly string[]): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { cwd: copy, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)));
    const timer = setTimeout(() => child.kill('SIGKILL'), LONGEST_MS);
    child.on('error', reject);
    child.on('exit', (code) => {
      clearTimeout(timer);
      resolve({ code: code ?? 1, output });
    });
  });
}

const vitest = (copy: string, tests: readonly string[], more: readonly string[] = []): Promise<Ran> =>
  run(copy, [join('node_modules', 'vitest', 'vitest.mjs'), 'run', ...tests, '--reporter=json', ...more]);

const simulation = (copy: string): Promise<Ran> =>
  run(copy, [join('node_modules', 'tsx', 'dist', 'cli.mjs'), join('test', 'sim', 'main.ts'), '--seeds', String(SEEDS)]);

interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly message?: string;
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[];
  }[];
}

/** Of vitest's report; null: none failed. A file that could not even begin is named itself. */
function firstFailure({ code, output }: Ran): string | null {
  if (code === 0) return null;
  const report = JSON.parse(output.slice(output.indexOf('{"numTotalTestSuites"')).split('\n')[0] ?? '') as Report;
  for (const { name, assertionResults } of report.testResults) {
    const failed = assertionResults.find(({ status }) => status === 'failed');
    const file = name.slice(name.indexOf('/test/') + 1);
    if (failed !== undefined) return `${file}: ${failed.fullName}`;
    if (assertionResults.length === 0) return `${file} could not begin`;
  }
  const [inLogs] = /^logs: .* no log may hold/m.exec(output) ?? [];
  if (inLogs !== undefined) return inLogs;
  throw new Error(`the tests ended with ${code}, and none had failed:\n${output.slice(-2_000)}`);
}

function firstViolation({ code, output }: Ran): string | null {
  if (code === 0) return null;
  const line = output.split('\n').find((text) => /seed \d+/.test(text));
  if (line === undefined)
    throw new Error(`the simulation ended with ${code} and named no seed:\n${output.slice(-2_000)}`);
  return `simulation: ${line.trim().slice(0, 160)}`;
}

async function judge(copy: string, mutant: Mutant): Promise<Verdict> {
  const file = join(copy, mutant.file);
  const sound = readFileSync(file, 'utf8');
  if (sound.split(mutant.from).length !== 2)
    throw new Error(`${mutant.file} has no longer one place for: ${mutant.bug}`);
  const began = performance.now();
  writeFileSync(
    file,
    sound.replace(mutant.from, () => mutant.to),
  );
  try {
    const caughtBy =
      mutant.tests === 'simulation'
        ? firstViolation(await simulation(copy))
        : firstFailure(await vitest(copy, mutant.tests, ['--bail=1']));
    return { mutant, caughtBy, seconds: (performance.now() - began) / 1_000 };
  } finally {
    writeFileSync(file, sound);
  }
}

/** A test that fails anyway catches nothing. */
async function soundTreePasses(copy: string, mutants: readonly Mutant[]): Promise<void> {
  const tests = new Set(mutants.flatMap((mutant) => (mutant.tests === 'simulation' ? [] : mutant.tests)));
  const failure = tests.size === 0 ? null : firstFailure(await vitest(copy, [...tests]));
  if (failure !== null) throw new Error(`without any bug planted this fails: ${failure}`);
}

async function main(): Promise<number> {
  const { values } = parseArgs({ options: { only: { type: 'string' }, json: { type: 'boolean', default: false } } });
  const words = values.only ?? '';
  const chosen = MUTANTS.filter(({ area, bug }) => `${area} ${bug}`.includes(words));
  const copy = copyOfTheTree();
  try {
    if (!values.json) say(`${chosen.length} bugs to plant, one at a time, in a copy of the tree`);
    await soundTreePasses(copy, chosen);
    const verdicts: Verdict[] = [];
    for (const mutant of chosen) {
      const verdict = await judge(copy, mutant);
      verdicts.push(verdict);
      const { caughtBy, seconds } = verdict;
      if (!values.json)
        say(
          `${caughtBy === null ? 'SURVIVED' : 'killed  '}  ${mutant.area}: ${mutant.bug} (${seconds.toFixed(0)} s)\n          ${caughtBy ?? mutant.file}`,
        );
    }
    const survived = verdicts.filter(({ caughtBy }) => caughtBy === null).length;
    const killed = verdicts.length - survived;
    if (values.json) say(JSON.stringify({ planted: verdicts.length, killed, verdicts }));
    else say(`${killed} of ${verdicts.length} were caught.`);
    return survived === 0 ? 0 : 1;
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

process.exitCode = await main();
