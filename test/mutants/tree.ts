// A copy of the tree in which bugs are planted and programs are run. Whatever a run starts ends with it: its process group is
// killed, and a PostgreSQL that lives in a session of its own is found by its data folder, which lies in the run's own
// folder for temporary files.

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

const LONGEST_MS = 10 * 60_000;
/** Everything that any bug names, on a machine that may be lent out. */
const LONGEST_SOUND_MS = 60 * 60_000;
/** As many seeds as a planted bug may live. */
const SEEDS = 200;
/** What is made anew, or tells of other runs. */
const LEFT_OUT = ['node_modules', '.git', 'dist', '.data', 'screens', '.chaos', '.fuzz', '.mutants', 'bench/report'];

interface Choice {
  readonly bail?: boolean;
  readonly named?: string;
  readonly isSound?: boolean;
}

interface Settings {
  readonly report?: string | null;
  readonly enough?: RegExp | null;
  readonly longest?: number;
}

export class Tree {
  readonly #home: string;
  readonly #root: string;
  readonly #scratch: string;
  #running: ChildProcess | null = null;

  constructor() {
    this.#home = mkdtempSync(join(tmpdir(), 'mutants-'));
    this.#root = join(this.#home, 'tree');
    this.#scratch = join(this.#home, 't');
    const left = new Set(LEFT_OUT.map((name) => join(packageRoot, name)));
    cpSync(packageRoot, this.#root, { recursive: true, filter: (source) => !left.has(source) });
    symlinkSync(join(packageRoot, 'node_modules'), join(this.#root, 'node_modules'));
    // PostgreSQL runs as somebody else when we are root, and must be able to pass.
    chmodSync(this.#home, 0o711);
  }

  /** Does `work` with the bug in its place; the tree is sound again afterwards. */
  async withBug<T>(mutant: Mutant, work: () => Promise<T>): Promise<T> {
    const file = join(this.#root, mutant.file);
    const sound = readFileSync(file, 'utf8');
    const places = sound.split(mutant.from).length - 1;
    const wanted = mutant.places ?? 1;
    if (places !== wanted) throw new Error(`${mutant.file} has ${places} places for it where ${wanted} were expected`);
    writeFileSync(
      file,
      sound.replaceAll(mutant.from, () => mutant.to),
    );
    try {
      return await work();
    } finally {
      writeFileSync(file, sound);
    }
  }

  /** `named`: only the tests whose whole name this is. `isSound`: all of them are to pass, however long they take. */
  vitest(tests: readonly string[], { bail, named, isSound }: Choice = {}): Promise<ProcessResult> {
    const report = join(this.#scratch, 'report.json');
    const picked = named === undefined ? [] : ['-t', `^${named.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')}$`];
    const how = ['--reporter=json', `--outputFile=${report}`, ...(bail === true ? ['--bail=1'] : []), ...picked];
    return this.#run([join('node_modules', 'vitest', 'vitest.mjs'), 'run', ...tests, ...how], {
      report,
      longest: isSound === true ? LONGEST_SOUND_MS : LONGEST_MS,
    });
  }

  /** One seed, or the first 200 until one of them fails. */
  simulation(seed: string | null = null): Promise<ProcessResult> {
    const which = seed === null ? ['--seeds', String(SEEDS)] : ['--seeds', '1', '--from', seed, '--jobs', '1'];
    const program = [join('node_modules', 'tsx', 'dist', 'cli.mjs'), join('test', 'sim', 'main.ts')];
    return this.#run([...program, ...which], { enough: /^seed \d+: .*\n/m });
  }

  /** Ends what is running, and leaves nothing behind. */
  async close(): Promise<void> {
    await this.#sweep();
    rmSync(this.#home, { recursive: true, force: true });
  }

  /** `enough`: once it has said this, there is nothing more to learn. */
  async #run(
    args: readonly string[],
    { report = null, enough = null, longest = LONGEST_MS }: Settings,
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
        if (enough?.test(output) === true) killGroup(child);
      });
    }
    const ended = await ending(child, longest);
    const text = report !== null && existsSync(report) ? readFileSync(report, 'utf8') : null;
    await this.#sweep();
    return { ...ended, output, report: text };
  }

  async #sweep(): Promise<void> {
    if (this.#running !== null) killGroup(this.#running);
    this.#running = null;
    for (const name of await readdir(this.#scratch).catch(() => [])) {
      const cluster = await findCluster(join(this.#scratch, name)).catch(() => null);
      const seen = cluster === null ? null : await inspectPostmaster(cluster.pgdata);
      if (cluster !== null && seen?.kind === 'alive') await stopPostmaster(seen.pid, cluster.pgdata);
    }
    rmSync(this.#scratch, { recursive: true, force: true });
  }
}

function ending(child: ChildProcess, longest: number): Promise<Pick<ProcessResult, 'code' | 'tookTooLong'>> {
  return new Promise((resolve, reject) => {
    let tookTooLong = false;
    const timer = setTimeout(() => {
      tookTooLong = child.exitCode === null;
      killGroup(child);
    }, longest);
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
    // Everybody in it has ended.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
