// Runs the real program in its own process, as a person or an init system would, and reads its output.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { packageRoot } from '../../src/base/package-root.ts';
import { recordStream } from './record-logs.ts';
import { withDeadline } from './wait-for.ts';

/** A busy machine may need long for a first start with PostgreSQL, and for a drain. */
const MAX_START_MS = 120_000;
const MAX_STOP_MS = 90_000;
const MAX_RUN_MS = 170_000;

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

const PROGRAM = join(packageRoot, 'bin', 'everyshare.js');

function launch(args: readonly string[], env: Readonly<Record<string, string>>, program = PROGRAM, cwd?: string) {
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(process.execPath, [program, ...args], {
    ...(cwd === undefined ? {} : { cwd }),
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
  const closed = once(child, 'close') as Promise<[number | null]>;
  /** Its exit code. A program that does not end is killed with its whole process group. */
  const exited = (timeoutMs = MAX_RUN_MS): Promise<number | null> =>
    withDeadline(
      `the program ends: ${args.join(' ')}`,
      closed.then(([code]) => code),
      timeoutMs,
      () => kill(child),
    );
  return { child, output, closed, exited };
}

function kill(child: ChildProcess): void {
  if (child.pid !== undefined && child.exitCode === null && child.signalCode === null)
    process.kill(-child.pid, 'SIGKILL');
}

/** Waits until the program prints that it is ready. */
export async function startProgram(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  file = PROGRAM,
  cwd?: string,
): Promise<Program> {
  const { child, output, closed, exited } = launch(args, env, file, cwd);
  const ready = new Promise<void>((resolve, reject) => {
    child.stdout.on('data', () => {
      if (/health {5}|worker is ready|processor listens/.test(output.out)) resolve();
    });
    void closed.then(([code]) => reject(new Error(`the program exited with ${code}: ${output.err}`)));
  });
  await withDeadline(`the program is ready: ${args.join(' ')}`, ready, MAX_START_MS, () => kill(child));
  return {
    process: child,
    url: /(?:is ready|processor listens) at (\S+)/.exec(output.out)?.[1] ?? '',
    out: () => output.out,
    err: () => output.err,
    async stop(signal) {
      process.kill(-(child.pid ?? 0), signal);
      return exited(MAX_STOP_MS);
    },
  };
}

export async function runProgram(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<ProgramResult> {
  const { output, exited } = launch(args, env);
  return { code: await exited(), ...output };
}

/** Starts the program, and sends SIGTERM when `when` resolves. */
export async function runAndInterrupt(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  when: Promise<unknown>,
): Promise<ProgramResult> {
  const { child, output, exited } = launch(args, env);
  void when.then(() => process.kill(-(child.pid ?? 0), 'SIGTERM'));
  return { code: await exited(), ...output };
}
