// Makes the folder for the log lines before a run, and scans it after the last project. A secret in a line fails the
// run.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject, Vitest } from 'vitest/node';
import { oncePerRun } from '../support/once-per-run.ts';
import { LOG_FOLDER_VARIABLE } from '../support/record-logs.ts';
import { describeProblem, scan } from './scan.ts';

/** Not the code of a failed test, for which `npm test` runs a file again. */
const SECRET_FOUND = 2;

export default async function setup({ vitest }: TestProject): Promise<() => Promise<void>> {
  const { release } = await oncePerRun('logs', makeFolder, (folder) => scanFolder(folder, vitest));
  return release;
}

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'everyshare-logs-'));
  process.env[LOG_FOLDER_VARIABLE] = folder;
  return folder;
}

async function scanFolder(folder: string, vitest: Vitest): Promise<void> {
  const startedAt = Date.now();
  const result = await scan(folder);
  const problem = describeProblem(result, await ranAllDatabaseTests(vitest));
  const { lines, ownLines, files, secrets, redactedLines } = result;
  const summary = `logs: ${lines} lines of ${files} files, ${ownLines} of them ours, scanned for ${secrets} secrets and every known form of a secret in ${Date.now() - startedAt} ms; ${redactedLines} were redacted by the log`;
  process.stderr.write(`${problem ?? `${summary}: none found`}\n`);
  if (problem === null) rmSync(folder, { recursive: true, force: true });
  else process.exitCode = SECRET_FOUND;
}

/** These tests write many lines: when all of them ran and no line is there, the scan has read the wrong folder. */
async function ranAllDatabaseTests(vitest: Vitest): Promise<boolean> {
  const project = vitest.projects.find(({ name }) => name === 'all' || name === 'database');
  if (project === undefined) return false;
  const fileCount = vitest.state.getFiles().filter(({ projectName }) => projectName === project.name).length;
  return fileCount > 0 && fileCount >= (await project.globTestFiles()).testFiles.length;
}
