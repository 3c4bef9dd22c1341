// `everyshare mcp config`: the configuration for each agent, and that it works.

import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { build, isCurrent } from '../../build.js';
import { commandLine } from '../support/run-command.ts';
import { runProgram } from '../support/run-program.ts';
import { openTestWorld, type TestWorld } from '../support/test-world.ts';

// Starts the whole program.
vi.setConfig({ testTimeout: 60_000 });

let world: TestWorld;
beforeAll(async () => {
  if (!isCurrent()) await build();
  world = await openTestWorld({ env: { BASE_URL: 'https://pay.example' } });
});
afterAll(() => world.close());

interface McpConfig {
  readonly url: string;
  readonly agents: readonly { readonly agent: string; readonly file: string; readonly config: string }[];
}

it('names the file and its text for each agent, with the address and never a key', async () => {
  const response = await commandLine(world).json<McpConfig>('mcp', 'config');
  expect(response.url).toBe('https://pay.example/mcp');
  expect(response.agents.map(({ agent }) => agent)).toEqual([
    'claude-code',
    'codex',
    'cursor',
    'vscode',
    'windsurf',
    'gemini-cli',
  ]);
  for (const { agent, config } of response.agents) {
    expect(config, agent).toContain('https://pay.example/mcp');
    expect(config, agent).toMatch(/EVERYSHARE_KEY|everyshare_key/);
    if (agent !== 'codex') expect(() => JSON.parse(config)).not.toThrow();
  }
  const { out } = await commandLine(world).run('mcp', 'config');
  // Single quotes keep the shell from expanding the variable, so that no file contains the key.
  const key = ['$', '{EVERYSHARE_KEY}'].join('');
  expect(out).toContain(
    `claude mcp add --transport http --scope project everyshare https://pay.example/mcp --header 'Authorization: Bearer ${key}'`,
  );
});

it('reads the settings and opens nothing: no database, no secrets', async () => {
  const DATA_DIR = mkdtempSync(join(tmpdir(), 'everyshare-mcp-'));
  try {
    const { code, out } = await runProgram(['mcp', 'config', '--json'], { DATA_DIR, PORT: '9000' });
    expect([code, (JSON.parse(out) as McpConfig).url]).toEqual([0, 'http://127.0.0.1:9000/mcp']);
    expect(readdirSync(DATA_DIR)).toEqual([]);
  } finally {
    rmSync(DATA_DIR, { recursive: true, force: true });
  }
});

it('prints an address that can be called, and requires --url when the settings have none', async () => {
  const urlFor = async (env: Record<string, string>): Promise<string> =>
    (await commandLine(null, env).json<McpConfig>('mcp', 'config')).url;
  expect(await urlFor({ HOST: '0.0.0.0' })).toBe('http://127.0.0.1:8080/mcp');
  expect(await urlFor({ HOST: '::', PORT: '81' })).toBe('http://127.0.0.1:81/mcp');
  expect(await urlFor({ HOST: '::1' })).toBe('http://[::1]:8080/mcp');
  expect(await commandLine(null, { PORT: '0' }).line(2, 'mcp', 'config')).toContain('--url');
});

it('prints one agent with --agent, and another server with --url, without the database', async () => {
  const line = commandLine(null);
  for (const url of ['https://other.example', 'https://other.example/', 'https://other.example/mcp']) {
    const response = await line.json<McpConfig>('mcp', 'config', '--agent', 'codex', '--url', url);
    expect([response.url, response.agents.length]).toEqual(['https://other.example/mcp', 1]);
  }
  expect(await line.line(2, 'mcp', 'config', '--agent', 'nobody')).toContain('claude-code');
  expect(await line.line(2, 'mcp', 'config', '--url', 'nope')).toContain('--url');
});
