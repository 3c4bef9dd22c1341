// `everyshare mcp config`: what each agent is to be told, and that what is told works.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { commandLine } from '../cli/in-process.ts';
import { openWorld, type World } from '../world.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld({ env: { BASE_URL: 'https://pay.example' } });
});
afterAll(() => world.close());

interface Told {
  readonly url: string;
  readonly agents: readonly { readonly agent: string; readonly file: string; readonly config: string }[];
}

it('names the file and its text for each agent, with the address and never a key', async () => {
  const told = await commandLine(world).json<Told>('mcp', 'config');
  expect(told.url).toBe('https://pay.example/mcp');
  expect(told.agents.map(({ agent }) => agent)).toEqual(['claude-code', 'codex', 'cursor', 'vscode', 'gemini-cli']);
  for (const { agent, config } of told.agents) {
    expect(config, agent).toContain('https://pay.example/mcp');
    expect(config, agent).toMatch(/EVERYSHARE_KEY|everyshare_key/);
    if (agent !== 'codex') expect(() => JSON.parse(config)).not.toThrow();
  }
  const { out } = await commandLine(world).run('mcp', 'config');
  expect(out).toContain('claude mcp add --transport http everyshare https://pay.example/mcp');
});

it('is asked for one agent, and for a server elsewhere without opening anything', async () => {
  const line = commandLine(null);
  for (const url of ['https://other.example', 'https://other.example/', 'https://other.example/mcp']) {
    const told = await line.json<Told>('mcp', 'config', '--agent', 'codex', '--url', url);
    expect([told.url, told.agents.length]).toEqual(['https://other.example/mcp', 1]);
  }
  expect(await line.line(2, 'mcp', 'config', '--agent', 'nobody')).toContain('claude-code');
  expect(await line.line(2, 'mcp', 'config', '--url', 'nope')).toContain('--url');
});
