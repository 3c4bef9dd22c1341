// Runs the real program in a process of its own, as a person or an init system would, and reads what it prints.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { packageRoot } from '../../src/base/package-root.ts';
import { recordStream } from './record-logs.ts';

export interface Program {
  readonly process: ChildProcess;
  readonly url: string;
  /** Everything on standard output so far. */
  out(): string;
  err(): string;
  /** Sends the signal to the whole process group, as a terminal does, and waits for the end. */
  stop(signal: NodeJS.Signals): Promise<number | null>;
}

export interface ProgramResult {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

function launch(words: readonly string[], env: Readonly<Record<string, string>>) {
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(process.execPath, [join(packageRoot, 'bin', 'everyshare.js'), ...words], {
    env: { PATH, HOME, PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const texts = { out: '', err: '' };
  child.stdout.on('data', (chunk: Buffer) => {
    texts.out += chunk;
  });
  child.stderr.on('data', (chunk: Buffer) => {
    texts.err += chunk;
  });
  recordStream(child.stderr);
  return { child, texts, ended: once(child, 'close') as Promise<[number | null]> };
}

/** Waits until the program says that it is ready. */
export async function startProgram(words: readonly string[], env: Readonly<Record<string, string>>): Promise<Program> {
  const { child, texts, ended } = launch(words, env);
  const ready = new Promise<void>((resolve, reject) => {
    child.stdout.on('data', () => {
      if (/health {5}|worker is ready/.test(texts.out)) resolve();
    });
    void ended.then(([code]) => reject(new Error(`it ended with ${code}: ${texts.err}`)));
  });
  await ready;
  return {
    process: child,
    url: /is ready at (\S+)/.exec(texts.out)?.[1] ?? '',
    out: () => texts.out,
    err: () => texts.err,
    async stop(signal) {
      process.kill(-(child.pid ?? 0), signal);
      const [code] = await ended;
      return code;
    },
  };
}

export async function runProgram(
  words: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<ProgramResult> {
  const { texts, ended } = launch(words, env);
  const [code] = await ended;
  return { code, ...texts };
}

/** Starts the program, and tells it to stop when that has come, wherever it is then. */
export async function runAndInterrupt(
  words: readonly string[],
  env: Readonly<Record<string, string>>,
  when: Promise<unknown>,
): Promise<ProgramResult> {
  const { child, texts, ended } = launch(words, env);
  void when.then(() => process.kill(-(child.pid ?? 0), 'SIGTERM'));
  const [code] = await ended;
  return { code, ...texts };
}
