// Before a run: the folder for its log lines. After it: they are all read, and a secret among them fails the run.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { LOG_FOLDER_VARIABLE } from '../support/record-logs.ts';
import { scan, verdict } from './scan.ts';

export default function setup(project: TestProject): () => Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'everyshare-logs-'));
  process.env[LOG_FOLDER_VARIABLE] = folder;
  return async () => {
    const began = Date.now();
    const scanned = await scan(folder);
    const { testFiles } = await project.globTestFiles();
    const isWhole = project.vitest.state.getFiles().length >= testFiles.length;
    const wrong = verdict(scanned, isWhole);
    const { lines, own, files, secrets, scrubbed } = scanned;
    const looked = `logs: ${lines} lines of ${files} files, ${own} of them ours, looked through for ${secrets} secrets and every shape of one in ${Date.now() - began} ms; ${scrubbed} were scrubbed when they were written`;
    process.stderr.write(`${wrong ?? `${looked}: none found`}\n`);
    if (wrong === null) rmSync(folder, { recursive: true, force: true });
    else process.exitCode = 1;
  };
}
