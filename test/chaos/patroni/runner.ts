// Runs a Patroni cluster for the nemesis: three PostgreSQL servers of Debian, each with its Patroni, and etcd and
// HAProxy. All of them are ordinary processes of an ordinary user, with temporary folders and ports; all end with this
// runner. Clients connect to HAProxy. Faults happen to the leader, one at a time.

import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { makeOwnedFolder, type RunUser, setOwner, spawnIds, unprivilegedUser } from '../../../sandbox/postgres/user.ts';
import { PostgresControl } from '../../support/postgres-control.ts';
import { requireDurability } from '../../support/postgres-runner.ts';
import type { RecordTimelineEvent } from '../process-runner.ts';
import { freePorts } from '../run-setup.ts';
import {
  addressAt,
  type ClusterSettings,
  DATABASE,
  etcdArguments,
  haproxyFile,
  LOOP_WAIT_SECONDS,
  PROGRAM_USER,
  SCOPE,
  SUPERUSER,
} from './cluster-files.ts';
import { type ClusterMember, isHealed, readMembers } from './cluster-state.ts';
import { leaderDetail } from './failovers.ts';
import type { LeaderFault } from './leader-faults.ts';
import { PatroniNode } from './node.ts';
import type { PatroniPrograms } from './programs.ts';
import { ServerProcess } from './server-process.ts';
import { WriteProbe } from './write-probe.ts';

const run = promisify(execFile);

const NODES = 3;
const PORTS_PER_NODE = 6;
/** The first start makes one server and copies it twice; a former leader may have to be copied anew. */
const MAX_HEAL_MS = 300_000;
const MAX_FAILOVER_MS = 180_000;
/** Longer than a turn of Patroni's loop. */
const REPLACEABLE_MS = (LOOP_WAIT_SECONDS + 2) * 1_000;

export class PatroniRunner extends PostgresControl {
  readonly #folder: string;
  readonly #logs: string;
  readonly #programs: PatroniPrograms;
  readonly #isSynchronous: boolean;
  readonly #record: RecordTimelineEvent;
  readonly #password = randomBytes(18).toString('base64url');
  #user: RunUser | null = null;
  #settings: ClusterSettings | null = null;
  #nodes: readonly PatroniNode[] = [];
  #servers: ServerProcess[] = [];
  #probe: WriteProbe | null = null;
  #changing: Promise<void> = Promise.resolve();
  #isClosing = false;

  constructor(
    folder: string,
    logs: string,
    programs: PatroniPrograms,
    isSynchronous: boolean,
    record: RecordTimelineEvent,
  ) {
    super(record);
    this.#record = record;
    this.#folder = folder;
    this.#logs = logs;
    this.#programs = programs;
    this.#isSynchronous = isSynchronous;
  }

  async start(): Promise<string> {
    this.say('start');
    this.#user = await unprivilegedUser();
    await makeOwnedFolder(this.#folder, this.#user, 0o711);
    const settings = await this.#makeSettings();
    this.#settings = settings;
    await this.#startEtcd(settings);
    this.#nodes = settings.nodes.map(
      (node) =>
        new PatroniNode(node, settings, {
          program: this.#programs.patroni,
          user: this.#user,
          logs: this.#logs,
          record: this.#record,
        }),
    );
    for (const node of this.#nodes) await node.open();
    // The first becomes the leader, and the others copy it.
    await this.#nodes[0]?.start();
    await this.#until('there is a leader', MAX_HEAL_MS, async () => (await this.#leader()) !== null);
    await Promise.all(this.#nodes.slice(1).map((node) => node.start()));
    await this.#startHaproxy(settings);
    await this.#untilHealed();
    await this.#createDatabase();
    await requireDurability(this.#clientUrl(SUPERUSER, 'postgres'));
    this.#probe = new WriteProbe(this.#clientUrl(SUPERUSER, 'postgres'), ({ from, to }) =>
      this.say('outage', String(to - from)),
    );
    await this.#probe.start();
    this.say('ready');
    await this.#sayLeader();
    return this.#clientUrl(PROGRAM_USER, DATABASE);
  }

  async #makeSettings(): Promise<ClusterSettings> {
    const ports = await freePorts(NODES * PORTS_PER_NODE + 3);
    const next = (): number => ports.pop() ?? 0;
    const folder = (name: string): string => join(this.#folder, name);
    const nodes = Array.from({ length: NODES }, (_, index) => ({
      name: `node-${index + 1}`,
      folder: folder(`node-${index + 1}`),
      ports: {
        postgres: next(),
        restApi: next(),
        clientLink: next(),
        peerLink: next(),
        restApiLink: next(),
        etcdLink: next(),
      },
    }));
    const settings: ClusterSettings = {
      nodes,
      etcd: { client: next(), peer: next(), folder: folder('etcd') },
      haproxy: { port: next(), folder: folder('haproxy') },
      postgresPrograms: this.#programs.postgres,
      password: this.#password,
      isSynchronous: this.#isSynchronous,
    };
    for (const path of [settings.etcd.folder, settings.haproxy.folder]) await makeOwnedFolder(path, this.#user, 0o700);
    return settings;
  }

  async #startEtcd(settings: ClusterSettings): Promise<void> {
    // etcd 3.4 refuses to run on other processors than x64 without this variable.
    const env = process.arch === 'x64' ? {} : { ETCD_UNSUPPORTED_ARCH: process.arch };
    const etcd = this.#addServer('etcd', this.#programs.etcd, etcdArguments(settings), env);
    etcd.start();
    await this.#until('etcd answers', 30_000, async () => {
      const response = await fetch(`http://127.0.0.1:${settings.etcd.client}/health`).catch(() => null);
      return response?.ok === true;
    });
  }

  async #startHaproxy(settings: ClusterSettings): Promise<void> {
    const file = join(settings.haproxy.folder, 'haproxy.cfg');
    writeFileSync(file, haproxyFile(settings));
    await setOwner(file, this.#user, 0o600);
    this.#addServer('haproxy', this.#programs.haproxy, ['-db', '-f', file], {}).start();
  }

  #addServer(name: string, program: string, args: readonly string[], env: Record<string, string>): ServerProcess {
    const server = new ServerProcess(name, program, args, {
      env,
      user: this.#user,
      logs: this.#logs,
      record: this.#record,
    });
    this.#servers.push(server);
    return server;
  }

  async #createDatabase(): Promise<void> {
    const client = new pg.Client({ connectionString: this.#clientUrl(SUPERUSER, 'postgres') });
    client.on('error', () => undefined);
    await client.connect();
    try {
      await client.query(`create role ${PROGRAM_USER} login password '${this.#password}'`);
      await client.query(`create database ${DATABASE} owner ${PROGRAM_USER}`);
    } finally {
      await client.end();
    }
  }

  #clientUrl(user: string, database: string): string {
    return addressAt(this.#settings?.haproxy.port ?? 0, user, this.#password, database);
  }

  protected address(): string {
    return this.#clientUrl(SUPERUSER, DATABASE);
  }

  protected async pid(): Promise<number | null> {
    return (await this.#leader())?.postgresPid() ?? null;
  }

  async kill(): Promise<boolean> {
    return this.failLeader({ kind: 'kill the leader', forMs: 0, quietMs: 0, lagMs: 0 });
  }

  async restart(): Promise<boolean> {
    return this.failLeader({ kind: 'switchover', forMs: 0, quietMs: 0, lagMs: 0 });
  }

  /** Does one fault, and waits until the cluster has healed. False: there was no leader. */
  async failLeader(fault: LeaderFault): Promise<boolean> {
    const done = this.#changing.then(() => this.#fail(fault));
    this.#changing = done.then(
      () => undefined,
      () => undefined, // The caller gets the error.
    );
    return done;
  }

  async #fail(fault: LeaderFault): Promise<boolean> {
    await this.#untilHealed();
    await this.#untilReplaceable();
    const leader = await this.#leader();
    if (leader === null || this.#isClosing) return false;
    const { kind, lagMs } = fault;
    if (lagMs > 0) {
      leader.peers?.silence();
      await this.#wait(lagMs);
    }
    this.say('failover', `${kind}: ${leader.name}`);
    try {
      if (kind === 'switchover') await this.#switchOver(leader);
      else await this.#failFor(leader, fault);
    } finally {
      leader.recover();
    }
    await this.#untilHealed();
    await this.#sayLeader();
    return true;
  }

  async #sayLeader(): Promise<void> {
    const leader = (await this.#members()).find(({ role }) => role === 'leader');
    if (leader !== undefined) this.say('leader', leaderDetail(leader.name, leader.timeline ?? 0));
  }

  /** The server stays so until another one leads, and until its time is over. */
  async #failFor(leader: PatroniNode, { kind, forMs, lagMs }: LeaderFault): Promise<void> {
    const until = Date.now() + forMs;
    const killed = leader.postgresPid();
    if (kind === 'kill the leader') leader.kill('both');
    if (kind === 'kill the PostgreSQL of the leader') leader.kill('postgres');
    if (kind === 'kill the Patroni of the leader') leader.kill('patroni');
    if (kind === 'partition the leader') leader.partition();
    if (kind === 'pause the leader') leader.pause();
    // What the standbys have not received by now is lost.
    if (lagMs > 0) leader.peers?.dropOpen();
    // Patroni itself hands over, or starts it again. Until then the cluster still looks healed.
    if (kind === 'kill the PostgreSQL of the leader') {
      const hasChanged = async (): Promise<boolean> =>
        leader.postgresPid() !== killed || (await this.#leader()) !== leader;
      await this.#until('the killed PostgreSQL is replaced', MAX_FAILOVER_MS, hasChanged);
      return;
    }
    // A server that is cut off still believes what it heard last, so the others are asked.
    const isReplaced = async (): Promise<boolean> => ((await this.#leader(leader)) ?? leader) !== leader;
    await this.#until('another server leads', MAX_FAILOVER_MS, isReplaced);
    await this.#wait(until - Date.now());
  }

  async #switchOver(leader: PatroniNode): Promise<void> {
    const members = await this.#members();
    const candidate = members.find(({ role }) => role === (this.#isSynchronous ? 'sync_standby' : 'replica'));
    const args = ['--leader', leader.name, '--candidate', candidate?.name ?? '', '--force', SCOPE];
    await run(this.#programs.patronictl, ['-c', leader.configFile, 'switchover', ...args], {
      cwd: '/',
      timeout: 60_000,
      ...spawnIds(this.#user),
    });
  }

  /** Asked of any server that answers. */
  async #members(exceptNode?: PatroniNode): Promise<readonly ClusterMember[]> {
    for (const node of this.#nodes) {
      const members = node === exceptNode ? null : await readMembers(node.restApiUrl);
      if (members !== null) return members;
    }
    return [];
  }

  async #leader(exceptNode?: PatroniNode): Promise<PatroniNode | null> {
    const leader = (await this.#members(exceptNode)).find(({ role }) => role === 'leader');
    return this.#nodes.find(({ name }) => name === leader?.name) ?? null;
  }

  async #untilHealed(): Promise<void> {
    await this.#until('three servers run and follow one leader', MAX_HEAL_MS, async () =>
      isHealed(await this.#members(), NODES, this.#isSynchronous),
    );
    const since = Date.now();
    // HAProxy may need another second to notice.
    if (this.#probe !== null)
      await this.#until('HAProxy leads to the leader', MAX_HEAL_MS, async () => (this.#probe?.lastAt ?? 0) > since);
  }

  /**
   * Until the leader has a synchronous standby, for longer than Patroni takes to notice that it has lost it: a leader without
   * one goes on alone, and none of the others may replace it when it is lost too.
   */
  async #untilReplaceable(): Promise<void> {
    let since = Date.now();
    await this.#until('the leader keeps a synchronous standby', MAX_HEAL_MS, async () => {
      const isStable = isHealed(await this.#members(), NODES, this.#isSynchronous) && (await this.#hasStandby());
      if (!isStable) since = Date.now();
      return Date.now() - since >= REPLACEABLE_MS;
    });
  }

  /** What the leader itself says, at this moment. */
  async #hasStandby(): Promise<boolean> {
    const states = this.#isSynchronous ? "'sync', 'quorum'" : "'async', 'potential'";
    const rows = await this.ask(`select 1 from pg_stat_replication where sync_state in (${states})`);
    return rows !== null && rows.length > 0;
  }

  async #until(what: string, timeoutMs: number, holds: () => Promise<boolean>): Promise<void> {
    for (const until = Date.now() + timeoutMs; Date.now() < until; await delay(250)) {
      if (this.#isClosing || (await holds())) return;
    }
    throw new Error(`not within ${timeoutMs / 1000} s: ${what}: ${JSON.stringify(await this.#members())}`);
  }

  async #wait(ms: number): Promise<void> {
    for (const until = Date.now() + ms; !this.#isClosing && Date.now() < until; ) await delay(50);
  }

  async heal(): Promise<void> {
    await this.thaw();
    await this.#changing;
    await this.#untilHealed();
  }

  async close(keep: boolean): Promise<void> {
    this.#isClosing = true;
    await this.#changing;
    await this.#probe?.stop();
    await Promise.all(this.#nodes.map((node) => node.close()));
    await Promise.all(this.#servers.map((server) => server.close()));
    this.say('exit', 'stopped');
    if (!keep) await rm(this.#folder, { recursive: true, force: true });
  }

  /** For an exit on which nothing can be awaited. */
  killAll(): void {
    for (const node of this.#nodes) node.kill('both');
    for (const server of this.#servers) server.kill();
  }
}
