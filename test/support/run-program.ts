// Runs the real program in its own process, as a person or an init system would, and reads its output.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { packageRoot } from '../../src/base/package-root.ts';
import { recordStream } from './record-logs.ts';

export interface Program {
  readonly process: ChildProcess;
  readonly url: string;
  /** The standard output so far. */
  out(): string;
  err(): string;
  /** Sends the signal to the whole process group, as a terminal does, and waits for the exit. */
  stop(signal: NodeJS.Signals): Promise<number | null>;
}

export interface ProgramResult {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

function launch(args: readonly string[], env: Readonly<Record<string, string>>) {
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(process.execPath, [join(packageRoot, 'bin', 'everyshare.js'), ...args], {
    env: { PATH, HOME, PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const output = { out: '', err: '' };
  child.stdout.on('data', (chunk: Buffer) => {
    output.out += chunk;
  });
  child.stderr.on('data', (chunk: Buffer) => {
    output.err += chunk;
  });
  recordStream(child.stderr);
  return { child, texts: output, ended: once(child, 'close') as Promise<[number | null]> };
}

/** Waits until the program prints that it is ready. */
export async function startProgram(args: readonly string[], env: Readonly<Record<string, string>>): Promise<Program> {
  const { child, texts: output, ended: exited } = launch(args, env);
  const ready = new Promise<void>((resolve, reject) => {
    child.stdout.on('data', () => {
      if (/health {5}|worker is ready/.test(output.out)) resolve();
    });
    void exited.then(([code]) => reject(new Error(`the program exited with ${code}: ${output.err}`)));
  });
  await ready;
  return {
    process: child,
    url: /is ready at (\S+)/.exec(output.out)?.[1] ?? '',
    out: () => output.out,
    err: () => output.err,
    async stop(signal) {
      process.kill(-(child.pid ?? 0), signal);
      const [code] = await exited;
      return code;
    },
  };
}

export async function runProgram(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<ProgramResult> {
  const { texts: output, ended: exited } = launch(args, env);
  const [code] = await exited;
  return { code, ...output };
}

/** Starts the program, and sends SIGTERM when `when` resolves. */
export async function runAndInterrupt(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  when: Promise<unknown>,
): Promise<ProgramResult> {
  const { child, texts: output, ended: exited } = launch(args, env);
  void when.then(() => process.kill(-(child.pid ?? 0), 'SIGTERM'));
  const [code] = await exited;
  return { code, ...output };
}
