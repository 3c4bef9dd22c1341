// One sandbox processor for servers and workers that share no DATA_DIR, as in containers: "everyshare processor" with their
// ENCRYPTION_KEY, found by SANDBOX_PROCESSOR_URL.

import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import type { NetworkInterfaceInfo } from 'node:os';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { build, isCurrent } from '../../build.js';
import { processorEnv } from '../../src/main/processor-env.ts';
import { addressForNotices } from '../../src/main/processors.ts';
import { type Program, runProgram, startProgram } from '../support/run-program.ts';
import { createTestDatabase } from '../support/test-database.ts';
import { checkoutBody } from '../support/test-venue.ts';
import { waitFor } from '../support/wait-for.ts';

// Starts the whole program five times.
vi.setConfig({ testTimeout: 240_000 });

const folders: string[] = [];
const started: Program[] = [];
const newFolder = (): string => {
  const created = mkdtempSync(join(tmpdir(), 'everyshare-shared-'));
  folders.push(created);
  return created;
};

beforeAll(async () => {
  if (!isCurrent()) await build();
});
afterAll(async () => {
  await Promise.all(
    started.filter(({ process: child }) => child.exitCode === null).map((program) => program.stop('SIGTERM')),
  );
  for (const created of folders) rmSync(created, { recursive: true, force: true });
});

it('a card that is held at one server is captured by a worker on another machine', async () => {
  const DATABASE_URL = await createTestDatabase('shared', 'migrated');
  const shared = { DATABASE_URL, ENCRYPTION_KEY: randomBytes(32).toString('base64') };
  const start = async (command: string, env: Record<string, string> = {}): Promise<Program> => {
    const program = await startProgram([command], { ...shared, DATA_DIR: newFolder(), ...env });
    started.push(program);
    return program;
  };
  const processor = await start('processor');
  const found = { SANDBOX_PROCESSOR_URL: processor.url };
  const first = await start('serve', found);
  const second = await start('serve', found);
  await start('worker', found);
  const origin = 'https://harbor.example';
  const created = await runProgram(['venue', 'create', '--name', 'Harbor', '--origin', origin, '--json'], {
    ...shared,
    ...found,
    DATA_DIR: newFolder(),
  });
  const key = JSON.parse(created.out).keys.secret_test as string;
  const call = async (server: Program, path: string, body?: unknown) => {
    const response = await fetch(`${server.url}/v1/${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const json = (await response.json()) as { id: string; status: string };
    expect(response.ok, JSON.stringify(json)).toBe(true);
    return json;
  };
  const { id } = await call(first, 'checkouts', checkoutBody({ return_url: `${origin}/thanks` }));
  await call(first, `test_helpers/checkouts/${id}/collect`, {});
  // The card of every share is held at the one server, and the worker of another folder captures them.
  await call(second, `test_helpers/checkouts/${id}/hold`, {});
  const isCompleted = async () => (await call(first, `checkouts/${id}`)).status === 'completed';
  await waitFor('the checkout is completed', isCompleted, { timeoutMs: 120_000, intervalMs: 250 });
});

describe('the settings of "everyshare processor"', () => {
  const shared = { ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'), DATA_DIR: '/data', HOST: '0.0.0.0' };

  it('are those of the servers that share ENCRYPTION_KEY', () => {
    const env = processorEnv({ ...shared, PORT: '8080', BASE_URL: 'https://pay.harbor.example' });
    expect(env).toMatchObject({
      EVERYSHARE_PROCESSOR_FOLDER: '/data/processor',
      EVERYSHARE_PROCESSOR_HOST: '0.0.0.0',
      EVERYSHARE_PROCESSOR_PORT: '8080',
      EVERYSHARE_PROCESSOR_PUBLIC_BASE: 'https://pay.harbor.example/sandbox/processor',
      EVERYSHARE_PROCESSOR_TEST_SECRET_KEY: expect.stringMatching(/^sk_test_[0-9a-f]{32}$/),
    });
  });

  it('are its own where they are given, and without ENCRYPTION_KEY', () => {
    const own = { EVERYSHARE_PROCESSOR_FOLDER: '/elsewhere' };
    expect(processorEnv({ ...shared, ...own })).toMatchObject(own);
    expect(processorEnv(own)).toEqual(own);
  });
});

describe('the address for the events of the processor', () => {
  const address = (given: string, internal: boolean): NetworkInterfaceInfo => ({
    address: given,
    internal,
    family: 'IPv4',
    netmask: '',
    mac: '',
    cidr: null,
  });
  const interfaces = { lo: [address('127.0.0.1', true)], eth0: [address('172.30.0.7', false)] };
  const local = 'http://127.0.0.1:8080';

  it.each([
    ['http://processor:8080', '0.0.0.0', 'http://172.30.0.7:8080'],
    ['http://127.0.0.1:12111', '0.0.0.0', local],
    [null, '0.0.0.0', local],
    // It listens on loopback alone: no other address reaches it.
    ['http://processor:8080', '127.0.0.1', local],
  ])('with the processor at %s and HOST %s is %s', (sandboxProcessorUrl, host, expected) => {
    expect(addressForNotices({ sandboxProcessorUrl, host }, local, interfaces)).toBe(expected);
  });
});
