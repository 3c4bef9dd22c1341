// One server of the cluster: PostgreSQL and its Patroni, and the links through which others reach it and it reaches
// etcd.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeOwnedFolder, setOwner } from '../../../sandbox/postgres/user.ts';
import { childrenOf, signal } from '../../support/postgres-control.ts';
import { TcpLink } from '../../support/tcp-link.ts';
import { type ClusterNode, type ClusterSettings, patroniFile } from './cluster-files.ts';
import { ServerProcess, type ServerProcessOptions } from './server-process.ts';

interface NodeOptions extends Omit<ServerProcessOptions, 'env'> {
  readonly program: string;
}

export class PatroniNode {
  readonly name: string;
  readonly configFile: string;
  /** The link through which the other servers replicate from this one. */
  peers: TcpLink | null = null;
  readonly #node: ClusterNode;
  readonly #settings: ClusterSettings;
  readonly #options: NodeOptions;
  readonly #patroni: ServerProcess;
  #links: readonly TcpLink[] = [];
  #paused: readonly number[] = [];

  constructor(node: ClusterNode, settings: ClusterSettings, options: NodeOptions) {
    this.name = node.name;
    this.#node = node;
    this.#settings = settings;
    this.#options = options;
    this.configFile = join(node.folder, 'patroni.json');
    this.#patroni = new ServerProcess(node.name, options.program, [this.configFile], { ...options, env: {} });
  }

  /** Straight to Patroni, past the links: for the nemesis alone. */
  get restApiUrl(): string {
    return `http://127.0.0.1:${this.#node.ports.restApi}`;
  }

  /** Writes the settings and opens the links. */
  async open(): Promise<void> {
    const { folder, ports } = this.#node;
    const { user } = this.#options;
    await makeOwnedFolder(folder, user, 0o700);
    writeFileSync(this.configFile, patroniFile(this.#node, this.#settings));
    await setOwner(this.configFile, user, 0o600);
    this.peers = await TcpLink.open(ports.peerLink, ports.postgres);
    this.#links = [
      this.peers,
      await TcpLink.open(ports.clientLink, ports.postgres),
      await TcpLink.open(ports.restApiLink, ports.restApi),
      await TcpLink.open(ports.etcdLink, this.#settings.etcd.client),
    ];
  }

  async start(): Promise<void> {
    this.#patroni.start();
  }

  postgresPid(): number | null {
    try {
      return Number(readFileSync(join(this.#node.folder, 'data', 'postmaster.pid'), 'utf8').split('\n')[0]) || null;
    } catch {
      return null;
    }
  }

  kill(what: 'both' | 'postgres' | 'patroni'): void {
    const postgres = this.postgresPid();
    if (what !== 'postgres') this.#patroni.kill();
    if (what !== 'patroni' && postgres !== null) signal(postgres, 'SIGKILL');
  }

  partition(): void {
    for (const link of this.#links) link.silence();
  }

  pause(): void {
    const postgres = this.postgresPid();
    const patroni = this.#patroni.pid;
    this.#paused = [
      ...(patroni === null ? [] : [patroni, ...childrenOf(patroni)]),
      ...(postgres === null ? [] : [postgres, ...childrenOf(postgres)]),
    ];
    for (const pid of this.#paused) signal(pid, 'SIGSTOP');
  }

  /** Ends every fault of this server. */
  recover(): void {
    for (const pid of [...this.#paused].reverse()) signal(pid, 'SIGCONT');
    this.#paused = [];
    for (const link of this.#links) link.resume();
    this.#patroni.start();
  }

  /** Patroni stops its PostgreSQL when it is asked to end. */
  async close(): Promise<void> {
    for (const pid of [...this.#paused].reverse()) signal(pid, 'SIGCONT');
    for (const link of this.#links) link.resume();
    const postgres = this.postgresPid();
    await this.#patroni.close();
    if (postgres !== null) signal(postgres, 'SIGKILL');
    await Promise.all(this.#links.map((link) => link.close()));
  }
}
