// The built program is what people run: it shows every character as the sources have it, and ends with the process
// that started it. Real processes, the real npm.

import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { build, isCurrent, requireAscii } from '../../build.js';
import { packageRoot } from '../../src/base/package-root.ts';
import { copyInitializedData, type InitializedData } from '../support/initialized-data.ts';
import { recordStream } from '../support/record-logs.ts';
import { type Program, runProgram, startProgram } from '../support/run-program.ts';
import { createTestDatabase } from '../support/test-database.ts';
import { checkoutBody } from '../support/test-venue.ts';

// Builds, starts and kills the whole program.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 180_000 });

const folders: string[] = [];
const newFolder = (): string => {
  const created = mkdtempSync(join(tmpdir(), 'everyshare-built-'));
  folders.push(created);
  return created;
};
/** Every process that names the folder: the database, and the card processor by its environment. */
const processesOf = (folder: string): string[] =>
  execFileSync('ps', ['axeww', '-o', 'pid,args'], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line.includes(folder) && !line.includes('ps axeww'));

beforeAll(async () => {
  if (!isCurrent()) await build();
});
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

describe('the build', () => {
  it('fails on text that the program would show wrongly, and lets comments be', async () => {
    const file = join(newFolder(), 'program.cjs');
    writeFileSync(file, '// Jimmy Wärting\nconst text = "\\xB7"; html`plain`;');
    await requireAscii(file);
    writeFileSync(file, 'html`Monday · Tuesday`;');
    await expect(requireAscii(file)).rejects.toThrow('"html`Monday · Tuesday`;"');
  });
});

describe('the built program', () => {
  let program: Program;
  let data: InitializedData;
  beforeAll(async () => {
    data = await copyInitializedData(newFolder());
    program = await startProgram(['start'], { DATA_DIR: data.DATA_DIR });
  });
  afterAll(() => program.stop('SIGTERM'));

  const post = async (
    path: string,
    body: unknown = {},
    bearer = data.secretKey,
  ): Promise<{ id: string; url: string }> => {
    const response = await fetch(`${program.url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const answer = await response.text();
    expect(response.ok, answer).toBe(true);
    return JSON.parse(answer) as { id: string; url: string };
  };
  const page = async (url: string, language: string): Promise<string> =>
    (await fetch(url, { headers: { 'accept-language': language } })).text();
  const NAME = 'Größe · Café “Ōsaka” 🛥';
  /** UTF-8 that was read one byte for each character. */
  const MISREAD = /[ÂÃâ][\u0080-\u00bf]/;

  it('shows every character of its pages, in every language', async () => {
    const body = checkoutBody({ description: NAME, return_url: 'https://example.com/back' });
    const { id, url } = await post('/v1/checkouts', body);
    await post(`/v1/test_helpers/checkouts/${id}/collect`);
    for (const language of ['en', 'de', 'es']) {
      const html = await page(url, language);
      expect(html).toContain(NAME);
      expect(html).not.toMatch(MISREAD);
      expect(html).toContain(`lang="${language}"`);
      // Beside the name: the texts of the locale.
      expect(html.replaceAll(NAME, '')).toMatch(/[^\0-\x7f]/);
    }
    for (const path of ['/sandbox/outbox', '/sandbox/cards', '/docs', '/v1/openapi.json']) {
      const html = await page(`${program.url}${path}`, 'en');
      expect([path, html.length > 500, MISREAD.test(html)]).toEqual([path, true, false]);
    }
  });

  it('shows every character of the texts it sent', async () => {
    await post('/v1/public/sign_in', { phone: '+15550100007' }, data.publishableKey);
    const outbox = (): Promise<string> => page(`${program.url}/sandbox/outbox`, 'en');
    await expect.poll(outbox, { timeout: 30_000 }).toContain('+15550100007');
    expect(await outbox()).toContain('</strong> &middot; code &middot; ');
    expect(await outbox()).not.toMatch(MISREAD);
  });

  it('shows every character of its commands', async () => {
    const { DATA_DIR } = data;
    const created = await runProgram(['venue', 'create', '--name', NAME], { DATA_DIR });
    expect([created.code, created.out.includes(NAME), MISREAD.test(created.out)]).toEqual([0, true, false]);
    const help = await runProgram(['help'], { DATA_DIR });
    expect([help.code, MISREAD.test(help.out)]).toEqual([0, false]);
  });
});

describe('a program whose starter ends', () => {
  it.each([
    ['killed by SIGTERM', 'SIGTERM', false],
    ['killed by SIGKILL', 'SIGKILL', false],
    // As a terminal does on Ctrl-C: the program gets the signal itself, and once more from npm.
    ['interrupted with its whole process group', 'SIGINT', true],
  ] as const)('npm start, %s, leaves nothing behind', async (_how, signal, isForGroup) => {
    const { DATA_DIR } = await copyInitializedData(newFolder());
    const { PATH = '', HOME = '' } = process.env;
    const npm = spawn('npm', ['start', '--ignore-scripts'], {
      cwd: packageRoot,
      env: { PATH, HOME, PORT: '0', DATA_DIR },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    recordStream(npm.stderr);
    let out = '';
    npm.stdout.on('data', (chunk: Buffer) => {
      out += chunk;
    });
    await expect.poll(() => out, { timeout: 90_000 }).toMatch(/health {5}/);
    expect(processesOf(DATA_DIR)).not.toEqual([]);
    if (isForGroup) process.kill(-(npm.pid ?? 0), signal);
    else npm.kill(signal);
    await expect.poll(() => processesOf(DATA_DIR), { timeout: 30_000, interval: 250 }).toEqual([]);
  });

  it('the card processor stops with the last server that uses it, and not before', async () => {
    const DATABASE_URL = await createTestDatabase('built', 'migrated');
    const DATA_DIR = newFolder();
    const env = { DATABASE_URL, DATA_DIR, ENCRYPTION_KEY: randomBytes(32).toString('base64') };
    const [server, worker] = [await startProgram(['serve'], env), await startProgram(['worker'], env)];
    const processors = (): string[] => processesOf(DATA_DIR).filter((line) => / processor\b/.test(line));
    await expect.poll(processors, { timeout: 30_000 }).toHaveLength(1);
    const both = processors();
    // The worker has asked for the processor by now: it asks as it starts.
    expect(await server.stop('SIGTERM')).toBe(0);
    expect(processors()).toEqual(both);
    expect(await worker.stop('SIGTERM')).toBe(0);
    await expect.poll(() => processesOf(DATA_DIR), { timeout: 10_000, interval: 250 }).toEqual([]);
  });
});
