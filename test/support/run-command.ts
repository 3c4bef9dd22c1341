// The operator's commands in this process, on the database of a world, with what they say kept instead of printed.

import { expect, vi } from 'vitest';
import { type Config, readConfig } from '../../src/base/config.ts';
import { runCommand } from '../../src/cli/command.ts';
import { commandContext } from '../../src/run/context.ts';
import type { TestWorld } from './test-world.ts';

export interface CommandOutput {
  readonly exit: number;
  readonly out: string;
  readonly err: string;
}

export interface CommandLine {
  run(...argv: string[]): Promise<CommandOutput>;
  /** The one JSON document of a command that succeeds. */
  json<T>(...argv: string[]): Promise<T>;
  /** The one line of a command that fails, with this exit code. */
  line(exit: 1 | 2, ...argv: string[]): Promise<string>;
}

/** Keeps what is written instead of writing it. */
function captureStream(stream: NodeJS.WriteStream): { text(): string; end(): void } {
  let text = '';
  const spy = vi.spyOn(stream, 'write').mockImplementation((chunk, ...rest) => {
    text += String(chunk);
    for (const done of rest) if (typeof done === 'function') done();
    return true;
  });
  return { text: () => text, end: () => spy.mockRestore() };
}

/** `world` null: a line that must fail before anything is opened; `env` is then what the configuration is read from. */
export function commandLine(world: TestWorld | null, env: Readonly<Record<string, string>> = {}): CommandLine {
  const settings = (): Config => world?.context.config ?? readConfig(env);
  const open = async () => {
    if (world === null) throw new Error('the database was opened');
    const by = { actor: 'operator ada', via: 'cli', address: null, requestId: null } as const;
    return { context: world.context, command: commandContext(world.context, by) };
  };
  const run = async (...argv: string[]): Promise<CommandOutput> => {
    const out = captureStream(process.stdout);
    const err = captureStream(process.stderr);
    try {
      const exit = await runCommand(argv, open, settings);
      return { exit, out: out.text(), err: err.text() };
    } finally {
      out.end();
      err.end();
    }
  };
  return {
    run,
    async json<T>(...argv: string[]) {
      const said = await run(...argv, '--json');
      expect(said).toMatchObject({ exit: 0, err: '' });
      expect(said.out).toMatch(/^[^\n]+\n$/);
      return JSON.parse(said.out) as T;
    },
    async line(exit, ...argv) {
      const said = await run(...argv, '--json');
      expect(said).toMatchObject({ exit, out: '' });
      expect(said.err).toMatch(/^everyshare: [^\n]+\n$/);
      return said.err.slice('everyshare: '.length, -1);
    },
  };
}
