// The server records its address in the database, so that the commands and the workers beside it need no setting of
// their own: tokens of the command line are valid at the server, and texts of a separate worker have whole links.

import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { build, isCurrent } from '../../build.js';
import { copyInitializedData } from '../support/initialized-data.ts';
import { type Program, runProgram, startProgram } from '../support/run-program.ts';
import { createTestDatabase } from '../support/test-database.ts';
import { checkoutBody } from '../support/test-venue.ts';

// Builds, starts and stops the whole program.
vi.setConfig({ testTimeout: 120_000 });

const folders: string[] = [];
const started: Program[] = [];
const newFolder = (): string => {
  const created = mkdtempSync(join(tmpdir(), 'everyshare-address-'));
  folders.push(created);
  return created;
};
const start = async (command: string, env: Record<string, string>): Promise<Program> => {
  const program = await startProgram([command], env);
  started.push(program);
  return program;
};
async function runJson(args: readonly string[], env: Record<string, string>) {
  const { code, out, err } = await runProgram([...args, '--json'], env);
  expect([code, err]).toEqual([0, '']);
  return JSON.parse(out);
}

async function call(url: string, key: string, body?: unknown) {
  const response = await fetch(url, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, json: (await response.json()) as { id: string } };
}

beforeAll(async () => {
  if (!isCurrent()) await build();
});
afterAll(async () => {
  for (const { process: child } of started) if (child.exitCode === null) child.kill('SIGTERM');
  await new Promise((resolve) => setTimeout(resolve, 500));
  for (const created of folders) rmSync(created, { recursive: true, force: true });
});

/** Of a port that was free a moment ago. */
async function freePort(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return String(port);
}

it.each([
  ['with default settings', {}],
  [
    'with a BASE_URL that the command does not have',
    { BASE_URL: 'https://pay.harbor.example', PORT: await freePort() },
  ],
])('a token of "member create" and "member token" is valid at the server that runs %s', async (_which, settings) => {
  const { DATA_DIR } = await copyInitializedData(newFolder());
  // PORT=0: the command cannot know the port that the server was given.
  const server = await start('start', { DATA_DIR, ...settings });
  const member = await runJson(['member', 'create', '--phone', '+15550100042'], { DATA_DIR });
  const { token } = await runJson(['member', 'token', member.id], { DATA_DIR });
  // 404 is the answer to a member who asks for an unknown checkout; a refused token gets 401.
  const base = 'PORT' in settings ? `http://127.0.0.1:${settings.PORT}` : server.url;
  for (const bearer of [member.token, token])
    expect((await call(`${base}/v1/public/checkouts/chk_${'0'.repeat(26)}`, bearer)).status).toBe(404);
  expect(await server.stop('SIGTERM')).toBe(0);
});

it('a separate worker writes a reminder whose link begins with the address of the server', async () => {
  const DATABASE_URL = await createTestDatabase('links', 'migrated');
  const env = { DATABASE_URL, DATA_DIR: newFolder(), ENCRYPTION_KEY: randomBytes(32).toString('base64') };
  const refused = await runProgram(['worker'], env);
  expect([refused.code, refused.err]).toEqual([
    1,
    expect.stringContaining('everyshare: BASE_URL is not set, and no server has recorded its address'),
  ]);
  const server = await start('serve', env);
  const worker = await start('worker', env);
  const origin = 'https://harbor.example';
  const venue = await runJson(['venue', 'create', '--name', 'Harbor', '--origin', origin], env);
  const ada = await runJson(['member', 'create', '--phone', '+15550100041', '--name', 'Ada'], env);
  // At noon, so that a day before is not in the quiet hours.
  const payBy = new Date(`${new Date(Date.now() + 5 * 86_400_000).toISOString().slice(0, 10)}T12:00:00Z`);
  const body = { ...checkoutBody({ pay_by: payBy.toISOString(), return_url: `${origin}/thanks` }) };
  const created = await call(`${server.url}/v1/checkouts`, venue.keys.secret_test, body);
  expect(created.status, JSON.stringify(created.json)).toBe(201);
  const { id } = created.json;
  const members = [{ phone: '+15550100043' }];
  const party = await call(`${server.url}/v1/public/checkouts/${id}/party`, ada.token, { members, split: 'equal' });
  expect(party.status, JSON.stringify(party.json)).toBe(200);
  const to = new Date(payBy.getTime() - 23 * 3_600_000).toISOString();
  const helper = `${server.url}/v1/test_helpers/checkouts/${id}/advance`;
  expect((await call(helper, venue.keys.secret_test, { to })).status).toBe(200);
  const reminders = async (): Promise<string[]> => {
    const response = await fetch(`${server.url}/sandbox/outbox`, { headers: { accept: 'application/json' } });
    const { data } = (await response.json()) as { data: { to: string; kind: string; text: string }[] };
    return data.filter((sent) => sent.to === '+15550100043' && sent.kind !== 'invite').map(({ text }) => text);
  };
  await expect.poll(reminders, { timeout: 60_000, interval: 500 }).not.toEqual([]);
  for (const text of await reminders()) expect(text).toContain(`${server.url}/s/`);
  expect(await worker.stop('SIGTERM')).toBe(0);
  expect(await server.stop('SIGTERM')).toBe(0);
});

it('"member create" before the first start of a server with PORT=0 says what is missing, and creates no member', async () => {
  const { code, err } = await runProgram(['member', 'create', '--phone', '+15550100042'], { DATA_DIR: newFolder() });
  expect([code, err]).toEqual([1, expect.stringMatching(/^everyshare: the address of the server is not known yet/)]);
});
