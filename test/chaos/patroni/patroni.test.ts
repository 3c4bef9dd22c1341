// Tests of the Patroni variant of chaos that need no Patroni: options, programs, settings, the order of faults, the
// figures of a run, and the link that can be cut.

import { readFileSync } from 'node:fs';
import { createServer, connect as openSocket, type Socket } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { packageRoot } from '../../../src/base/package-root.ts';
import { TcpLink } from '../../support/tcp-link.ts';
import type { Violation } from '../../support/violation.ts';
import { waitFor } from '../../support/wait-for.ts';
import { readOptions } from '../options.ts';
import { kindNames, makePlan } from '../plan.ts';
import type { ProcessorHold } from '../records.ts';
import type { TimelineEvent } from '../timeline.ts';
import { type ClusterSettings, etcdArguments, haproxyFile, patroniFile } from './cluster-files.ts';
import { type ClusterMember, isHealed } from './cluster-state.ts';
import { checkLeaderFaults, leaderDetail, readFailovers } from './failovers.ts';
import { LEADER_FAULTS, leaderFaults } from './leader-faults.ts';
import { divideLosses } from './losses.ts';
import { findPatroniPrograms } from './programs.ts';
import { checkRollingHour } from './rolling-hour.ts';

describe('the option --patroni', () => {
  it('replicates synchronously, and with --async asynchronously', () => {
    expect(readOptions(['--patroni', '--minutes', '2'])?.patroni).toBe('synchronous');
    expect(readOptions(['--patroni', '--async'])?.patroni).toBe('asynchronous');
    expect(readOptions([])?.patroni).toBe(null);
  });

  it('does not go with --standby, and --async does not go without it', () => {
    expect(() => readOptions(['--patroni', '--standby'])).toThrow('one of --standby, --patroni and --citus');
    expect(() => readOptions(['--async'])).toThrow('--async goes with --patroni');
  });

  it('replaces the faults of a single PostgreSQL, and keeps all others', () => {
    const without = kindNames(false).filter((kind) => !kindNames(true).includes(kind));
    expect(without).toHaveLength(4);
    expect(without.every((kind) => kind.includes('PostgreSQL'))).toBe(true);
    const planned = makePlan(1, 600, { everySeconds: 1, hasPatroni: true }).map(({ kind }) => kind);
    expect(planned.filter((kind) => without.includes(kind))).toEqual([]);
  });
});

describe('missing programs', () => {
  it('are named with the command that installs all of them', () => {
    const find = (name: string, paths: readonly string[]) => (name === 'haproxy' ? (paths[0] ?? null) : null);
    expect(() => findPatroniPrograms(find, () => null)).toThrow(
      'apt-get install postgresql patroni etcd-server python3-etcd',
    );
  });

  it('are none when every package is there', () => {
    const programs = findPatroniPrograms(
      (_, paths) => paths[0] ?? null,
      () => '/usr/lib/postgresql/15/bin',
    );
    expect(programs).toMatchObject({ patroni: '/usr/bin/patroni', etcd: '/usr/bin/etcd' });
  });
});

function settings(isSynchronous: boolean): ClusterSettings {
  const ports = (first: number) => ({
    postgres: first,
    restApi: first + 1,
    clientLink: first + 2,
    peerLink: first + 3,
    restApiLink: first + 4,
    etcdLink: first + 5,
  });
  return {
    nodes: [100, 200, 300].map((first, index) => ({
      name: `node-${index + 1}`,
      folder: `/run/${index}`,
      ports: ports(first),
    })),
    etcd: { client: 1, peer: 2, folder: '/run/etcd' },
    haproxy: { port: 3, folder: '/run/haproxy' },
    postgresPrograms: '/programs',
    password: 'secret',
    isSynchronous,
  };
}

describe('the settings of the cluster', () => {
  const patroni = (isSynchronous: boolean) => {
    const cluster = settings(isSynchronous);
    const [node] = cluster.nodes;
    if (node === undefined) throw new Error('there is no node');
    return JSON.parse(patroniFile(node, cluster));
  };

  it('let commits wait for a standby unless the run is asynchronous', () => {
    expect(patroni(true).bootstrap.dcs.synchronous_mode).toBe(true);
    expect(patroni(false).bootstrap.dcs.synchronous_mode).toBe(false);
  });

  it('lead to other servers and to etcd through links alone, so that a server can be cut off', () => {
    const { etcd, restapi, postgresql } = patroni(true);
    expect([etcd, restapi.connect_address, postgresql.connect_address]).toEqual([
      { host: '127.0.0.1:105', use_proxies: true },
      '127.0.0.1:104',
      '127.0.0.1:103',
    ]);
  });

  it('keep the bound that Patroni demands of its times', () => {
    const { ttl, loop_wait, retry_timeout } = patroni(true).bootstrap.dcs;
    expect(loop_wait + 2 * retry_timeout).toBeLessThanOrEqual(ttl);
  });

  it('let HAProxy ask Patroni which server leads, and end the sessions of a server that does not', () => {
    const file = haproxyFile(settings(true));
    expect(file).toContain('option httpchk OPTIONS /primary');
    expect(file).toContain('on-marked-down shutdown-sessions');
    for (const line of ['node-1 127.0.0.1:102 check port 104', 'node-3 127.0.0.1:302 check port 304'])
      expect(file).toContain(`server ${line}`);
  });

  it('are those that the operator’s guide recommends', () => {
    const guide = readFileSync(join(packageRoot, 'docs', 'guides', 'failover.md'), 'utf8');
    const block = (language: string) => guide.split(`\`\`\`${language}\n`)[1]?.split('```')[0] ?? '';
    const { postgresql, ...shared } = patroni(true).bootstrap.dcs;
    const used: Record<string, unknown> = { ...shared, ...postgresql, ...postgresql.parameters };
    const pairs = [...block('yaml').matchAll(/^ *(\w+): (.+)$/gm)].map(([, name = '', value = '']) => [name, value]);
    expect(pairs.length).toBeGreaterThan(10);
    for (const [name = '', value] of pairs) expect([name, String(used[name])]).toEqual([name, value]);
    const proxy = block('text')
      .split('\n')
      .map((line) => line.trim());
    expect(proxy.length).toBeGreaterThan(10);
    const usedLines = haproxyFile(settings(true))
      .split('\n')
      .map((line) => line.trim());
    const recommended = proxy.filter((line) => line !== '' && !/^(bind|server) /.test(line));
    expect(recommended.filter((line) => !usedLines.includes(line))).toEqual([]);
  });

  it('listen on this machine alone', () => {
    const texts = [haproxyFile(settings(true)), etcdArguments(settings(true)).join(' ')];
    for (const text of texts) expect(text).not.toMatch(/0\.0\.0\.0|bind \*/);
  });
});

describe('the faults of the leader', () => {
  const firstFaults = (seed: number, isSynchronous = true) => {
    return [...leaderFaults(seed, isSynchronous)].slice(0, 2 * LEADER_FAULTS.length);
  };

  it('come in an order of the seed, every kind once before one comes twice', () => {
    const kinds = firstFaults(7).map(({ kind }) => kind);
    expect([...kinds.slice(0, 6)].sort()).toEqual([...LEADER_FAULTS].sort());
    expect([...kinds.slice(6)].sort()).toEqual([...LEADER_FAULTS].sort());
    expect(firstFaults(7)).toEqual(firstFaults(7));
    expect(firstFaults(8).map(({ kind }) => kind)).not.toEqual(kinds);
  });

  it('lose changes only in an asynchronous run, when PostgreSQL is killed', () => {
    expect(firstFaults(7).filter(({ lagMs }) => lagMs > 0)).toEqual([]);
    const lagging = firstFaults(7, false).filter(({ lagMs }) => lagMs > 0);
    expect(new Set(lagging.map(({ kind }) => kind))).toEqual(
      new Set(['kill the leader', 'kill the PostgreSQL of the leader']),
    );
  });
});

describe('the cluster has healed', () => {
  const member = (name: string, role: string, timeline = 2, state = 'running'): ClusterMember => ({
    name,
    role,
    timeline,
    state,
  });
  const leader = member('node-1', 'leader');
  const standby = member('node-2', 'sync_standby');
  const replica = member('node-3', 'replica');

  it('when all servers run on the timeline of the leader, one of them as the synchronous standby', () => {
    expect(isHealed([leader, standby, replica], 3, true)).toBe(true);
    expect(isHealed([leader, replica, replica], 3, false)).toBe(true);
  });

  it.each([
    ['there is no leader', [standby, replica, replica]],
    ['a server is missing', [leader, standby]],
    ['a server is on an older timeline', [leader, standby, member('node-3', 'replica', 1)]],
    ['a server is stopped', [leader, standby, member('node-3', 'replica', 2, 'stopped')]],
    ['no standby is synchronous', [leader, replica, replica]],
  ])('not when %s', (_, members) => {
    expect(isHealed(members, 3, true)).toBe(false);
  });
});

describe('the failovers of a run', () => {
  const event = (what: TimelineEvent['what'], detail: string): TimelineEvent => ({
    at: 1,
    who: 'postgres',
    what,
    detail,
  });
  const leaders = (...timelines: number[]) =>
    timelines.map((number) => event('leader', leaderDetail('node-1', number)));
  const every = LEADER_FAULTS.map((kind) => event('done', kind));

  it('are counted by the timelines of PostgreSQL, and outages by their length', () => {
    const timeline = [...leaders(1, 2, 4), event('outage', '2500'), event('outage', '30000'), ...every];
    expect(readFailovers(timeline)).toMatchObject({ promotions: 3, outages: [2_500, 30_000] });
  });

  it('empty the counts of the rolling hour, as a crash and a restart in place do', () => {
    expect(readFailovers([...leaders(1, 2, 2, 3), event('kill backend', '')]).resets).toBe(4);
  });

  it('must include every kind of fault and as many promotions, unless the run is short', () => {
    expect(checkLeaderFaults([...leaders(1, 7), ...every], 10)).toEqual([]);
    expect(checkLeaderFaults([...leaders(1, 7), ...every.slice(1)], 10).map(({ what }) => what)).toEqual([
      `nemesis: ${LEADER_FAULTS[0]}`,
    ]);
    expect(checkLeaderFaults([...leaders(1, 2), ...every], 10)).toHaveLength(1);
    expect(checkLeaderFaults([], 5)).toEqual([]);
  });
});

describe('an asynchronous run', () => {
  const violation = (rule: string, subject: string): Violation => ({ rule, subject, what: '' });
  const hold = (checkoutId: string, more: Partial<ProcessorHold>): ProcessorHold => ({
    intentId: `pi_${checkoutId}`,
    holdId: '',
    checkoutId,
    shareId: '',
    status: 'succeeded',
    captured: 500,
    capturedAt: 1,
    refunded: 0,
    transferred: 0,
    reversed: 0,
    fee: 0,
    ...more,
  });
  const AGREES = 'our records agree with the processor';
  const divide = (found: readonly Violation[], holds: readonly ProcessorHold[], reported: readonly string[] = []) => {
    const { answered, reconciled, violations } = divideLosses(found, holds, new Set(reported));
    return [answered.length, reconciled.length, violations.length];
  };

  it('may lose what was acknowledged', () => {
    expect(divide([violation('an acknowledged checkout is stored', 'chk_1')], [])).toEqual([1, 0, 0]);
  });

  it('may differ from the processor only where reconcile reports it, or where no money is away', () => {
    const differs = [violation(AGREES, 'chk_1')];
    expect(divide(differs, [hold('chk_1', {})])).toEqual([0, 0, 1]);
    expect(divide(differs, [hold('chk_1', {})], ['pi_chk_1'])).toEqual([0, 1, 0]);
    expect(divide(differs, [hold('chk_1', {})], ['chk_1'])).toEqual([0, 1, 0]);
    expect(divide(differs, [hold('chk_1', { refunded: 500 })])).toEqual([0, 1, 0]);
    expect(divide(differs, [hold('chk_1', { refunded: 500, transferred: 400 })])).toEqual([0, 0, 1]);
    expect(divide(differs, [hold('chk_1', { status: 'requires_capture', captured: 0 })])).toEqual([0, 0, 1]);
    expect(divide(differs, [])).toEqual([0, 0, 1]);
  });

  it('keeps every rule about its own records, and its sums if nothing was lost', () => {
    for (const rule of ['the ledger sums to zero', 'one event for each change', 'no request ends with internal_error'])
      expect(divide([violation(rule, 'chk_1'), violation('a terminal state is final', 'chk_2')], [])).toEqual([
        1, 0, 1,
      ]);
    const sum = violation('the ledger agrees with the processor', 'processor_balance');
    expect(divide([sum], [])).toEqual([0, 0, 1]);
    expect(divide([sum, violation('a terminal state is final', 'chk_2')], [])).toEqual([1, 1, 0]);
  });
});

describe('a caller with a limit', () => {
  const violations = (admitted: number, resets: number, hours = 0.5) => {
    const found: Violation[] = [];
    checkRollingHour({ limit: 60, admitted, refused: 0 }, resets, hours, (rule, subject, what) => {
      found.push({ rule, subject, what });
    });
    return found.length;
  };

  it('is admitted at most once more up to its limit for each promotion or crash', () => {
    expect([violations(60, 0), violations(120, 1), violations(180, 1, 1.5)]).toEqual([0, 0, 0]);
    expect([violations(61, 0), violations(121, 1)]).toEqual([1, 1]);
  });
});

describe('a link', () => {
  /** A server that repeats what it gets, and a client of it through the link. */
  async function openEcho() {
    const server = createServer((socket) => socket.on('error', () => undefined).pipe(socket));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const link = await TcpLink.open(0, typeof address === 'object' && address !== null ? address.port : 0);
    const sockets: Socket[] = [];
    const open = () => {
      const received = { text: '', isEnded: false };
      const socket = openSocket(link.port, '127.0.0.1');
      socket.on('error', () => undefined);
      socket.on('data', (chunk: Buffer) => {
        received.text += chunk;
      });
      socket.once('close', () => {
        received.isEnded = true;
      });
      sockets.push(socket);
      return { socket, received };
    };
    const close = async () => {
      for (const socket of sockets) socket.destroy();
      await link.close();
      await new Promise((resolve) => server.close(resolve));
    };
    return { link, open, close };
  }

  it('passes everything on, nothing while it is silent, and what was held back afterwards', async () => {
    const { link, open, close } = await openEcho();
    const { socket, received } = open();
    socket.write('one ');
    await waitFor('the echo', () => received.text === 'one ');
    link.silence();
    const late = open();
    socket.write('two');
    late.socket.write('three');
    await waitFor('both are sent', () => socket.writableLength === 0 && late.socket.bytesWritten === 5);
    expect([received.text, late.received.text]).toEqual(['one ', '']);
    link.resume();
    await waitFor('the rest arrives', () => received.text === 'one two' && late.received.text === 'three');
    await close();
  });

  it('whose open connections are silent serves new ones', async () => {
    const { link, open, close } = await openEcho();
    const old = open();
    old.socket.write('a');
    await waitFor('the echo', () => old.received.text === 'a');
    link.silenceOpen();
    old.socket.write('b');
    const next = open();
    next.socket.write('c');
    await waitFor('the echo of the new one', () => next.received.text === 'c');
    expect(old.received).toEqual({ text: 'a', isEnded: false });
    await close();
  });
});
