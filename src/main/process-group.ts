// PROCESSES: one command runs several servers that share its port, and for `start` a worker apart from them. The first
// process only starts the others, hands them connections in turn (Node's cluster), and starts one again that ended by
// itself. They share what servers on several machines share: the database.

import cluster, { type Worker } from 'node:cluster';
import { availableParallelism } from 'node:os';
import { systemMonotonicClock } from '../base/clock.ts';
import { type Config, ConfigError } from '../base/config.ts';
import type { Log } from '../base/log.ts';
import { RestartBackoff } from './restart-backoff.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** The place of this process in its group. */
export interface Member {
  /** `1`, `2`, … for a server; `worker`. Log lines have it as `process`. */
  readonly name: string;
  /** What the operator called: `start` creates the first venue. */
  readonly command: 'start' | 'serve';
  /** The first server prints the addresses. One that was started again does not. */
  readonly isAnnouncer: boolean;
}

const MEMBER_VARIABLE = 'EVERYSHARE_PROCESS';
const READY = 'ready';
const MAX_SERVERS = 64;
/** Of the embedded PostgreSQL, without those that it keeps for itself and for commands. */
const EMBEDDED_CONNECTIONS = 180;
/** Beside DATABASE_CONNECTIONS: the request log, monitoring, notifications. */
const FURTHER_CONNECTIONS = 3;
/** A child exits by itself after SHUTDOWN_SECONDS; this much later it is killed. */
const KILL_MARGIN_MS = 5_000;

/** Null: this process is not part of a group. */
export function memberFrom(env: Env): Member | null {
  const text = env[MEMBER_VARIABLE];
  return text === undefined || !cluster.isWorker ? null : (JSON.parse(text) as Member);
}

/** How many servers to run. The embedded PostgreSQL has a fixed number of connections: `auto` uses no more than those. */
export function serverCount(config: Config, cores: number = availableParallelism()): number {
  const { processes, databaseUrl, databaseConnections } = config;
  if (processes === null) return 1;
  const each = databaseConnections + FURTHER_CONNECTIONS;
  const fits = databaseUrl !== null ? Number.POSITIVE_INFINITY : Math.floor(EMBEDDED_CONNECTIONS / each) - 1;
  if (processes === 'auto') return Math.max(1, Math.min(cores, fits));
  const count = /^[0-9]+$/.test(processes) ? Number(processes) : 0;
  if (count < 1 || count > MAX_SERVERS)
    throw new ConfigError([
      `PROCESSES is "${processes}": set it to auto, for as many as there are cores, or to a whole number from 1 to ${MAX_SERVERS}; leave it unset for 1.`,
    ]);
  if (count > Math.max(1, fits))
    throw new ConfigError([
      `PROCESSES is ${processes}: with DATABASE_CONNECTIONS=${databaseConnections} the embedded PostgreSQL has connections for ${Math.max(1, fits)}. Set one of them lower, or DATABASE_URL to a PostgreSQL with more.`,
    ]);
  return count;
}

/** Tells the first process that this one is ready. Without a group it does nothing. */
export function reportReady(member: Member | null, log: Log): void {
  if (member === null) return;
  log.info('the process is ready');
  process.send?.(READY);
}

/** Lets go of the first process, so that this one can exit. */
export function leaveGroup(): void {
  cluster.worker?.disconnect();
}

export interface GroupOptions {
  readonly config: Config;
  readonly command: 'start' | 'serve';
  readonly servers: number;
  /** Added to the environment of each process. */
  readonly env: Readonly<Record<string, string>>;
  readonly log: Log;
}

interface Slot {
  readonly name: string;
  readonly role: 'serve' | 'worker';
  readonly env: Readonly<Record<string, string>>;
  readonly backoff: RestartBackoff;
  worker: Worker | null;
  hasStarted: boolean;
}

export class ProcessGroup {
  readonly #options: GroupOptions;
  readonly #slots: Slot[];
  readonly #timers = new Set<NodeJS.Timeout>();
  #isStopping = false;

  constructor(options: GroupOptions) {
    const { config, command, servers } = options;
    this.#options = options;
    const slots = Array.from({ length: servers }, (_, index) =>
      newSlot(`${index + 1}`, 'serve', serverEnv(config, index)),
    );
    if (command === 'start') slots.push(newSlot('worker', 'worker', {}));
    this.#slots = slots;
  }

  /** The first server alone, because it may migrate the database; then all others. Rejects if one ends before it is ready. */
  async start(): Promise<void> {
    const [first, ...others] = this.#slots;
    if (first !== undefined) await this.#fork(first);
    await Promise.all(others.map((slot) => this.#fork(slot)));
  }

  /** Each process stops as it would alone: requests in flight finish. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    for (const timer of this.#timers) clearTimeout(timer);
    const { shutdownSeconds } = this.#options.config;
    await Promise.all(
      this.#slots.map(async ({ worker }) => {
        if (worker === null) return;
        const exited = new Promise((resolve) => worker.once('exit', resolve));
        worker.process.kill('SIGTERM');
        const kill = setTimeout(() => worker.process.kill('SIGKILL'), shutdownSeconds * 1000 + KILL_MARGIN_MS);
        await exited;
        clearTimeout(kill);
      }),
    );
  }

  /** Resolves when the process is ready. Later ends of it are handled by starting it again. */
  #fork(slot: Slot): Promise<void> {
    const { command, env } = this.#options;
    const isAnnouncer = slot.name === '1' && !slot.hasStarted;
    const member: Member = { name: slot.name, command, isAnnouncer };
    cluster.setupPrimary({ args: [slot.role] });
    const worker = cluster.fork({ ...env, ...slot.env, [MEMBER_VARIABLE]: JSON.stringify(member) });
    slot.worker = worker;
    return new Promise((resolve, reject) => {
      worker.on('message', (message) => {
        if (message !== READY) return;
        slot.hasStarted = true;
        resolve();
      });
      worker.once('exit', (code, signal) => {
        slot.worker = null;
        if (this.#isStopping) return resolve();
        if (slot.hasStarted) this.#startAgain(slot, code, signal);
        else
          reject(
            new Error(`process ${slot.name} ended (${signal ?? code}) before it was ready: see its message above.`),
          );
      });
    });
  }

  #startAgain(slot: Slot, code: number | null, signal: string | null): void {
    const wait_ms = slot.backoff.nextDelayMs(systemMonotonicClock.now());
    this.#options.log.error(
      { ended: slot.name, code, signal, wait_ms },
      'a process ended by itself; it is started again',
    );
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      void this.#fork(slot);
    }, wait_ms);
    this.#timers.add(timer);
  }
}

function newSlot(name: string, role: Slot['role'], env: Slot['env']): Slot {
  return { name, role, env, backoff: new RestartBackoff(), worker: null, hasStarted: false };
}

/** Each server has series of its own, so each has its own port for them: METRICS_PORT, and the numbers after it. */
function serverEnv({ metricsPort }: Config, index: number): Readonly<Record<string, string>> {
  return metricsPort === null || metricsPort === 0 ? {} : { METRICS_PORT: String(metricsPort + index) };
}
