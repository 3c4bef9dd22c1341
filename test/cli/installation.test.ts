// A command on a data directory without a database: it refuses with one line, and makes none. In the wrong folder, or
// without the settings of the service, it would otherwise report on a new, empty database.

import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { build, isCurrent } from '../../build.js';
import { commandLine } from '../support/run-command.ts';
import { runProgram } from '../support/run-program.ts';

const ID = '01900000-0000-7000-8000-000000000000';
const folders: string[] = [];
let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'everyshare-nothing-'));
  folders.push(dataDir);
});
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});

describe('a command without an installation', () => {
  it.each([
    ['doctor'],
    ['doctor', '--before-upgrade'],
    ['reconcile'],
    ['ledger', 'check'],
    ['guest', 'export', '+12125550142'],
    ['guest', 'erase', '+12125550142'],
    ['guest', 'erase-again', '/backups', '--since', '2026-11-18T09:00:00.000Z'],
    ['backup', '/backups'],
    ['encryption', 'rotate'],
    ['audit', 'list'],
    ['venue', 'list'],
    ['key', 'create', '--venue', ID, '--kind', 'secret', '--mode', 'test'],
  ])('refuses with one line and names the settings: %s %s', async (...words) => {
    // As after "restore" was prepared: the key is there, and no database.
    writeFileSync(join(dataDir, 'encryption-key'), Buffer.alloc(32).toString('base64'));
    expect(await commandLine(null, { DATA_DIR: dataDir }).line(1, ...words)).toBe(
      `there is no installation in ${dataDir}: run the command with the settings of the service (DATABASE_URL or DATA_DIR), or start one here ("everyshare start").`,
    );
  });

  it('makes no file in the data directory', async () => {
    if (!isCurrent()) await build();
    const { code, out, err } = await runProgram(['doctor', '--json'], { DATA_DIR: dataDir });
    expect([code, out, err]).toEqual([1, '', expect.stringMatching(/^everyshare: there is no installation in .+\n$/)]);
    expect(readdirSync(dataDir)).toEqual([]);
  });

  it.each([
    ['venue', 'create', '--name', 'Harbor Club'],
    ['member', 'create', '--phone', '+15550100042'],
    ['operator', 'add', 'ada@harbor.example', '--role', 'admin'],
    ['demo'],
    ['processor', 'check'],
    ['processor', 'setup', '--mode', 'test', '--url', 'https://pay.harbor.example'],
  ])('makes one where it may be the first: %s %s', async (...words) => {
    expect(await commandLine(null, { DATA_DIR: dataDir }).line(1, ...words)).toBe('the database was opened');
  });

  it('opens the database of a data directory whose state file is lost, which says what is wrong', async () => {
    writeFileSync(join(dataDir, 'postgres'), '');
    expect(await commandLine(null, { DATA_DIR: dataDir }).line(1, 'venue', 'list')).toBe('the database was opened');
  });
});
