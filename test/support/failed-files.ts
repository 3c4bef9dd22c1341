// A reporter of Vitest that writes the files with a failed test, one in each line, into the file that
// FAILED_FILES_VARIABLE names. It writes nothing if an error belongs to no test: then no file says what went wrong.

import { writeFileSync } from 'node:fs';
import type { Reporter, TestModule } from 'vitest/node';

export const FAILED_FILES_VARIABLE = 'EVERYSHARE_FAILED_FILES';

export default class FailedFiles implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const path = process.env[FAILED_FILES_VARIABLE];
    if (path === undefined || unhandledErrors.length > 0) return;
    const failed = modules.filter((module) => !module.ok()).map(({ moduleId }) => moduleId);
    writeFileSync(path, [...new Set(failed)].join('\n'));
  }
}
