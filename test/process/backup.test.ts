// The restore drill: a backup while checkouts are created and paid, the loss of the database, and a restore. Real
// processes, the real embedded PostgreSQL and processor.

import { appendFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { copyInitializedData, type InitializedData } from '../support/initialized-data.ts';
import { type Program, runProgram, startProgram } from '../support/run-program.ts';

// Starts and kills the whole program, and writes each file of a database to the disk several times.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

const folders: string[] = [];
const newFolder = (): string => {
  const created = mkdtempSync(join(tmpdir(), 'everyshare-backup-'));
  folders.push(created);
  return created;
};
const started: Program[] = [];
const start = async (): Promise<Program> => {
  const program = await startProgram(['start'], { DATA_DIR: data.DATA_DIR });
  started.push(program);
  return program;
};
afterAll(() => {
  for (const { process: child } of started) if (child.exitCode === null) child.kill('SIGKILL');
  for (const created of folders) rmSync(created, { recursive: true, force: true });
});

let data: InitializedData;
const backups = newFolder();
/** Everything that the server acknowledged, with the time at which its answer arrived. */
const acknowledged: { id: string; at: number }[] = [];
let completedBefore: string;
let completedAfter: string;
let manifest: { createdAt: string; encryptionKeys: string[]; files: { path: string }[] };
let path: string;

const call = async (program: Program, method: string, route: string, body?: object) => {
  const response = await fetch(`${program.url}${route}`, {
    method,
    headers: {
      authorization: `Bearer ${data.secretKey}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(method === 'POST' ? { 'idempotency-key': crypto.randomUUID() } : {}),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, json: (await response.json()) as { id: string; status: string } };
};

async function create(program: Program): Promise<string> {
  const { status, json } = await call(program, 'POST', '/v1/checkouts', {
    amount: 12_000,
    currency: 'usd',
    party_size: 3,
    pay_by: new Date(Date.now() + 86_400_000).toISOString(),
    description: 'A boat for three',
    return_url: 'https://example.com/bookings/1',
    external_booking_id: crypto.randomUUID(),
  });
  expect([status, json]).toEqual([201, expect.anything()]);
  acknowledged.push({ id: json.id, at: Date.now() });
  return json.id;
}

async function complete(program: Program): Promise<string> {
  const id = await create(program);
  expect((await call(program, 'POST', `/v1/test_helpers/checkouts/${id}/complete`, {})).status).toBe(200);
  return id;
}

/** The loss of the machine's disk, except for the encryption key, which is kept elsewhere. */
function destroyDatabase(): void {
  const state = JSON.parse(readFileSync(join(data.DATA_DIR, 'postgres.json'), 'utf8')) as { place: string };
  rmSync(resolve(data.DATA_DIR, state.place), { recursive: true });
  rmSync(join(data.DATA_DIR, 'postgres.json'));
}

beforeAll(async () => {
  data = await copyInitializedData(newFolder());
  const program = await start();
  completedBefore = await complete(program);
  let isOver = false;
  const load = (async () => {
    // A key may write 60 times in an hour.
    for (let n = 0; n < 45 && !isOver; n++) {
      await create(program);
      await delay(200);
    }
  })();
  const result = await runProgram(['backup', backups, '--json'], { DATA_DIR: data.DATA_DIR });
  expect(result).toMatchObject({ code: 0, err: '' });
  isOver = true;
  await load;
  // Noted beside the backups by itself: the restored database cannot know it.
  const erased = await runProgram(['guest', 'erase', '+12125550142', '--json'], { DATA_DIR: data.DATA_DIR });
  expect(erased).toMatchObject({ code: 0, out: expect.stringContaining(join(backups, 'erasures')) });
  completedAfter = await complete(program);
  path = (JSON.parse(result.out) as { path: string }).path;
  manifest = JSON.parse(readFileSync(join(path, 'manifest.json'), 'utf8'));
  await program.stop('SIGKILL');
  destroyDatabase();
});

describe('everyshare backup', () => {
  it('names the encryption key and holds none of the secrets of the data directory', () => {
    expect(manifest.encryptionKeys).toEqual([expect.stringMatching(/^[0-9a-f]{8}$/)]);
    const texts = ['encryption-key', 'operator-token'].map((name) =>
      readFileSync(join(data.DATA_DIR, name), 'utf8').trim(),
    );
    const key = Buffer.from(texts[0] ?? '', 'base64');
    expect(key).toHaveLength(32);
    const secrets = [...texts, key, key.toString('hex')];
    for (const { path: file } of manifest.files) {
      const content = readFileSync(join(path, file));
      for (const secret of secrets) expect(content.includes(secret), file).toBe(false);
    }
  });
});

describe('everyshare restore', () => {
  const env = () => ({ DATA_DIR: data.DATA_DIR });

  it('refuses a damaged backup, and one whose encryption key is missing, before it writes anything', async () => {
    const elsewhere = newFolder();
    const wrongKey = await runProgram(['restore', backups], { DATA_DIR: elsewhere });
    expect(wrongKey).toMatchObject({
      code: 1,
      err: expect.stringContaining(`encryption key ${manifest.encryptionKeys[0]}`),
    });
    const damaged = join(path, manifest.files[40]?.path ?? '');
    const before = readFileSync(damaged);
    appendFileSync(damaged, 'x');
    const refused = await runProgram(['restore', backups], env());
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining(`${damaged} is not what was written`) });
    writeFileSync(damaged, before);
    expect(existsSync(join(data.DATA_DIR, 'postgres.json'))).toBe(false);
    expect(readdirSync(elsewhere).filter((name) => name.startsWith('postgres'))).toEqual([]);
  });

  it('refuses a backup of another major version of PostgreSQL, before it writes anything', async () => {
    const file = join(path, 'manifest.json');
    const kept = readFileSync(file, 'utf8');
    writeFileSync(file, JSON.stringify({ ...manifest, postgresVersion: '12' }));
    const refused = await runProgram(['restore', backups], env());
    writeFileSync(file, kept);
    expect(refused).toMatchObject({
      code: 1,
      err: expect.stringMatching(/files of PostgreSQL 12, .+ restore it with/),
    });
    expect(existsSync(join(data.DATA_DIR, 'postgres.json'))).toBe(false);
  });

  it('brings back everything that was acknowledged before the end of the backup; the books agree again', async () => {
    const restored = await runProgram(['restore', backups], env());
    expect(restored).toMatchObject({ code: 0, err: '' });
    expect(restored.out).toContain(
      `1 of guests since then are undone: run "everyshare guest erase-again ${backups} --since ${manifest.createdAt}"`,
    );
    const program = await start();
    const end = Date.parse(manifest.createdAt);
    const promised = acknowledged.filter(({ at }) => at < end);
    expect(promised.length).toBeGreaterThan(3);
    for (const { id } of promised) expect((await call(program, 'GET', `/v1/checkouts/${id}`)).status).toBe(200);
    expect((await call(program, 'GET', `/v1/checkouts/${completedBefore}`)).json.status).toBe('completed');
    // What came after the backup is gone here, and still in the processor's books: a reconcile names each charge.
    expect((await call(program, 'GET', `/v1/checkouts/${completedAfter}`)).status).toBe(404);
    const found = await runProgram(['reconcile', '--json'], env());
    const differences = (JSON.parse(found.out) as { differences: { what: string }[] }).differences;
    expect(differences.map(({ what }) => what)).toEqual(
      Array(3).fill(expect.stringMatching(/^4000 was charged and is not in our records/)),
    );
    expect((await runProgram(['ledger', 'check', '--json'], env())).code).toBe(0);
    await complete(program);
    await program.stop('SIGTERM');
  });

  it('refuses a data directory that has a database', async () => {
    const refused = await runProgram(['restore', backups], env());
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('already has a database') });
  });

  it('takes only backups, and only of the embedded database', async () => {
    const empty = await runProgram(['restore', newFolder()], env());
    expect(empty).toMatchObject({ code: 1, err: expect.stringContaining('is no backup and has none') });
    const other = {
      ...env(),
      DATABASE_URL: 'postgres://localhost/x',
      ENCRYPTION_KEY: Buffer.alloc(32).toString('base64'),
    };
    expect(await runProgram(['backup', backups], other)).toMatchObject({
      code: 1,
      err: expect.stringContaining('DATABASE_URL is set'),
    });
  });
});

describe('BACKUPS_KEPT', () => {
  it('removes the oldest backups after a new one is complete, and notes of erasures that every backup knows', async () => {
    const env = { DATA_DIR: data.DATA_DIR, BACKUPS_KEPT: '1' };
    const result = await runProgram(['backup', backups, '--json'], env);
    expect(result.code).toBe(0);
    const { path: newest, removed } = JSON.parse(result.out) as { path: string; removed: string[] };
    expect(removed).toEqual([path]);
    expect(readdirSync(backups).filter((name) => name !== 'erasures')).toEqual([basename(newest)]);
    // The only backup is newer than the erasure.
    expect(readdirSync(join(backups, 'erasures'))).toEqual([]);
  });
});
