// Before a run: the folder for its log lines. After the last project of the run: every line is read, and a secret among
// them fails the run.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject, Vitest } from 'vitest/node';
import { oncePerRun } from '../support/once-per-run.ts';
import { LOG_FOLDER_VARIABLE } from '../support/record-logs.ts';
import { scan, verdict } from './scan.ts';

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
  const began = Date.now();
  const scanned = await scan(folder);
  const wrong = verdict(scanned, await ranAllDatabaseTests(vitest));
  const { lines, own, files, secrets, scrubbed } = scanned;
  const looked = `logs: ${lines} lines of ${files} files, ${own} of them ours, looked through for ${secrets} secrets and every shape of one in ${Date.now() - began} ms; ${scrubbed} were scrubbed when they were written`;
  process.stderr.write(`${wrong ?? `${looked}: none found`}\n`);
  if (wrong === null) rmSync(folder, { recursive: true, force: true });
  else process.exitCode = 1;
}

/** These write many lines: a run of all of them without one line has read the wrong place. */
async function ranAllDatabaseTests(vitest: Vitest): Promise<boolean> {
  const project = vitest.projects.find(({ name }) => name === 'database');
  if (project === undefined) return false;
  const ran = vitest.state.getFiles().filter(({ projectName }) => projectName === project.name).length;
  return ran > 0 && ran >= (await project.globTestFiles()).testFiles.length;
}
