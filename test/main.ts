// `npm test` and `npm run test:proofs`: runs the tests of a mode of vitest.config.ts, then the files in which one failed once
// more, alone. A test that fails only beside the others depends on the machine's load: it is named at the end of the output,
// and is a defect to be fixed, but it does not hold back a change that has nothing to do with it. A test that fails twice
// fails the run.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { FAILED_FILES_VARIABLE } from './support/failed-files.ts';

/** More failed files than this are no chance: the run fails at once. */
const MAX_REPEATED = 3;
/** Vitest's own code for a failed test. A secret in a log line has another (test/logs/setup.ts), and is never repeated. */
const TEST_FAILED = 1;

const [MODE = 'usual', ...ARGS] = process.argv.slice(2);

function runVitest(args: readonly string[], reportPath: string): number {
  const reporters = ['--reporter=default', '--reporter=./test/support/failed-files.ts'];
  const { status } = spawnSync('vitest', ['run', '--mode', MODE, ...reporters, ...args], {
    stdio: 'inherit',
    env: { ...process.env, [FAILED_FILES_VARIABLE]: reportPath },
    shell: process.platform === 'win32',
  });
  return status ?? TEST_FAILED;
}

function failedFiles(reportPath: string): string[] {
  if (!existsSync(reportPath)) return [];
  const lines = readFileSync(reportPath, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((path) => relative(process.cwd(), path));
}

const folder = mkdtempSync(join(tmpdir(), 'everyshare-tests-'));
try {
  const firstReport = join(folder, 'first');
  process.exitCode = runVitest(ARGS, firstReport);
  const failed = failedFiles(firstReport);
  if (process.exitCode === TEST_FAILED && failed.length > 0 && failed.length <= MAX_REPEATED) {
    process.stdout.write(`\nFailed, and now repeated alone: ${failed.join(', ')}\n`);
    process.exitCode = runVitest(failed, join(folder, 'second'));
    if (process.exitCode === 0)
      process.stdout.write(
        `\nPASSED ONLY WHEN REPEATED: ${failed.join(', ')}. Such a test depends on chance: fix it.\n`,
      );
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
