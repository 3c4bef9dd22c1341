// A copy of the repository in which bugs are planted and programs run. Every process of a run ends with the run: its
// process group is killed, and a PostgreSQL in a session of its own is found by its data folder inside the temporary
// folder of the run.

import { type ChildProcess, spawn } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findCluster } from '../../sandbox/postgres/cluster.ts';
import { inspectPostmaster, stopPostmaster } from '../../sandbox/postgres/postmaster.ts';
import { packageRoot } from '../../src/base/package-root.ts';
import type { Mutant } from './list.ts';
import type { ProcessResult } from './outcome.ts';

const MAX_RUN_MS = 10 * 60_000;
/** For all tests that any bug names, on a slow machine. */
const MAX_BASELINE_RUN_MS = 60 * 60_000;
/** A planted bug must be caught within this many seeds. */
const SEEDS = 200;
/** Build output and reports of other runs. */
const NOT_COPIED = [
  'node_modules',
  '.git',
  'dist',
  'dist.tests',
  '.data',
  'screens',
  '.chaos',
  '.fuzz',
  '.mutants',
  'bench/report',
];

interface VitestOptions {
  readonly bail?: boolean;
  readonly testName?: string;
  readonly isBaseline?: boolean;
}

interface RunOptions {
  readonly report?: string | null;
  readonly stopAt?: RegExp | null;
  readonly maxMs?: number;
}

export class WorkingCopy {
  readonly #home: string;
  readonly #root: string;
  readonly #scratch: string;
  #running: ChildProcess | null = null;

  constructor() {
    this.#home = mkdtempSync(join(tmpdir(), 'mutants-'));
    this.#root = join(this.#home, 'tree');
    this.#scratch = join(this.#home, 't');
    const notCopied = new Set(NOT_COPIED.map((name) => join(packageRoot, name)));
    cpSync(packageRoot, this.#root, { recursive: true, filter: (source) => !notCopied.has(source) });
    symlinkSync(join(packageRoot, 'node_modules'), join(this.#root, 'node_modules'));
    // PostgreSQL runs as another user when the tests run as root, and must be able to enter the folder.
    chmodSync(this.#home, 0o711);
  }

  /** Runs `work` with the bug planted, and restores the file afterwards. */
  async withBug<T>(mutant: Mutant, work: () => Promise<T>): Promise<T> {
    const file = join(this.#root, mutant.file);
    const original = readFileSync(file, 'utf8');
    const places = original.split(mutant.from).length - 1;
    const expected = mutant.places ?? 1;
    if (places !== expected)
      throw new Error(`${mutant.file} has ${places} places for it where ${expected} were expected`);
    writeFileSync(
      file,
      original.replaceAll(mutant.from, () => mutant.to),
    );
    try {
      return await work();
    } finally {
      writeFileSync(file, original);
    }
  }

  /** `testName`: runs only the tests with this full name. `isBaseline`: no bug is planted; the run may take longer. */
  runVitest(tests: readonly string[], { bail, testName, isBaseline }: VitestOptions = {}): Promise<ProcessResult> {
    const report = join(this.#scratch, 'report.json');
    const nameFilter = testName === undefined ? [] : ['-t', `^${testName.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')}$`];
    const options = [
      '--reporter=json',
      `--outputFile=${report}`,
      ...(bail === true ? ['--bail=1'] : []),
      ...nameFilter,
    ];
    return this.#run([join('node_modules', 'vitest', 'vitest.mjs'), 'run', ...tests, ...options], {
      report,
      maxMs: isBaseline === true ? MAX_BASELINE_RUN_MS : MAX_RUN_MS,
    });
  }

  /** Runs one seed, or the first 200 until one of them fails. */
  runSimulation(seed: string | null = null): Promise<ProcessResult> {
    const seeds = seed === null ? ['--seeds', String(SEEDS)] : ['--seeds', '1', '--from', seed, '--jobs', '1'];
    const program = [join('node_modules', 'tsx', 'dist', 'cli.mjs'), join('test', 'sim', 'main.ts')];
    return this.#run([...program, ...seeds], { stopAt: /^seed \d+: .*\n/m });
  }

  /** Kills what is running and deletes the copy. */
  async close(): Promise<void> {
    await this.#sweep();
    rmSync(this.#home, { recursive: true, force: true });
  }

  /** `stopAt`: the run is killed once its output matches. */
  async #run(
    args: readonly string[],
    { report = null, stopAt = null, maxMs = MAX_RUN_MS }: RunOptions,
  ): Promise<ProcessResult> {
    mkdirSync(this.#scratch, { mode: 0o711 });
    const child = spawn(process.execPath, args, {
      cwd: this.#root,
      env: { ...process.env, TMPDIR: this.#scratch },
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#running = child;
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        output += String(chunk);
        if (stopAt?.test(output) === true) killGroup(child);
      });
    }
    const exit = await waitForExit(child, maxMs);
    const text = report !== null && existsSync(report) ? readFileSync(report, 'utf8') : null;
    await this.#sweep();
    return { ...exit, output, report: text };
  }

  async #sweep(): Promise<void> {
    if (this.#running !== null) killGroup(this.#running);
    this.#running = null;
    for (const name of await readdir(this.#scratch).catch(() => [])) {
      const cluster = await findCluster(join(this.#scratch, name)).catch(() => null);
      const postmaster = cluster === null ? null : await inspectPostmaster(cluster.pgdata);
      if (cluster !== null && postmaster?.kind === 'alive') await stopPostmaster(postmaster.pid, cluster.pgdata);
    }
    rmSync(this.#scratch, { recursive: true, force: true });
  }
}

function waitForExit(child: ChildProcess, maxMs: number): Promise<Pick<ProcessResult, 'code' | 'tookTooLong'>> {
  return new Promise((resolve, reject) => {
    let tookTooLong = false;
    const timer = setTimeout(() => {
      tookTooLong = child.exitCode === null;
      killGroup(child);
    }, maxMs);
    child.on('error', reject);
    child.on('exit', (code) => {
      clearTimeout(timer);
      resolve({ code, tookTooLong });
    });
  });
}

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    // Every process of the group has exited.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
