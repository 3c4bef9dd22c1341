// Runs operator commands in this process, on the database of a TestWorld, and captures their output.

import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, vi } from 'vitest';
import { type Config, readConfig } from '../../src/base/config.ts';
import { runCommand } from '../../src/cli/command.ts';
import type { Backups } from '../../src/cli/command-definition.ts';
import { commandContext } from '../../src/run/context.ts';
import type { TestWorld } from './test-world.ts';

export interface CommandOutput {
  readonly exit: number;
  readonly out: string;
  readonly err: string;
}

export interface CommandLine {
  run(...argv: string[]): Promise<CommandOutput>;
  /** Runs a command that must succeed, and returns its one JSON document. */
  json<T>(...argv: string[]): Promise<T>;
  /** Runs a command that must fail with this exit code, and returns its one line. */
  line(exit: 1 | 2, ...argv: string[]): Promise<string>;
}

/** Captures what is written to the stream instead of writing it. */
export function captureStream(stream: NodeJS.WriteStream): { text(): string; end(): void } {
  let text = '';
  const spy = vi.spyOn(stream, 'write').mockImplementation((chunk, ...rest) => {
    text += String(chunk);
    for (const done of rest) if (typeof done === 'function') done();
    return true;
  });
  return { text: () => text, end: () => spy.mockRestore() };
}

/**
 * `world` null: the command must not open the database; the configuration is read from `env`. `configFolder` has the
 * user's login; by default there is none.
 */
/** A command in this process has no files of an embedded database. */
export const noBackups = (): Backups => {
  throw new Error('the files of the database were opened');
};

export function commandLine(
  world: TestWorld | null,
  env: Readonly<Record<string, string>> = {},
  configFolder = join(tmpdir(), 'everyshare-without-login'),
  openBackups = noBackups,
): CommandLine {
  const settings = (): Config => world?.context.config ?? readConfig(env);
  const open = async () => {
    if (world === null) throw new Error('the database was opened');
    const origin = { name: 'operator ada', via: 'cli', address: null, requestId: null } as const;
    return { context: world.context, command: commandContext(world.context, origin) };
  };
  const openUnmigrated = async () => {
    if (world === null) throw new Error('the database was opened');
    return { db: world.db, config: world.context.config, now: world.context.clock.now() };
  };
  const run = async (...argv: string[]): Promise<CommandOutput> => {
    const out = captureStream(process.stdout);
    const err = captureStream(process.stderr);
    try {
      const exit = await runCommand(argv, open, settings, configFolder, openBackups, openUnmigrated);
      return { exit, out: out.text(), err: err.text() };
    } finally {
      out.end();
      err.end();
    }
  };
  return {
    run,
    async json<T>(...argv: string[]) {
      const output = await run(...argv, '--json');
      expect(output).toMatchObject({ exit: 0, err: '' });
      expect(output.out).toMatch(/^[^\n]+\n$/);
      return JSON.parse(output.out) as T;
    },
    async line(exit, ...argv) {
      const output = await run(...argv, '--json');
      expect(output).toMatchObject({ exit, out: '' });
      expect(output.err).toMatch(/^everyshare: [^\n]+\n$/);
      return output.err.slice('everyshare: '.length, -1);
    },
  };
}
