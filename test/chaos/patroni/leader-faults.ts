// What happens to the leader of a Patroni cluster, in an order drawn from the seed: every kind comes once before one
// comes twice. One fault at a time, and each only after the cluster has healed from the one before.

import { SeededRandom } from '../../support/seeded-random.ts';
import { LEADER_TTL_SECONDS } from './cluster-files.ts';

export const LEADER_FAULTS = [
  /** SIGKILL of PostgreSQL and of Patroni: the machine is gone until Patroni is started again. */
  'kill the leader',
  /** SIGKILL of PostgreSQL alone: Patroni notices and hands over. */
  'kill the PostgreSQL of the leader',
  /** SIGKILL of Patroni alone: PostgreSQL goes on, and does not hear that another server leads. */
  'kill the Patroni of the leader',
  /** Neither etcd, nor clients, nor the other servers reach it, and nothing tells them so. */
  'partition the leader',
  /** SIGSTOP of all its processes for longer than its lease of the leadership, and then SIGCONT. */
  'pause the leader',
  'switchover',
] as const;

/** In a run of at least this length each of them must have been done: one takes about a minute with its recovery. */
export const LEADER_FAULTS_MINUTES = 10;

export type LeaderFaultKind = (typeof LEADER_FAULTS)[number];

export interface LeaderFault {
  readonly kind: LeaderFaultKind;
  /** How long the server stays killed, cut off or stopped. */
  readonly forMs: number;
  /** How long the cluster is left alone afterwards. */
  readonly quietMs: number;
  /**
   * How long the standbys receive nothing before a kill, while clients are served: these changes are lost. 0 in a
   * synchronous run, where such a commit is not acknowledged.
   */
  readonly lagMs: number;
}

/** Longer than the lease of the leadership, so that another server is promoted meanwhile. */
const LONG_MS = [(LEADER_TTL_SECONDS + 5) * 1_000, (LEADER_TTL_SECONDS + 10) * 1_000] as const;
const QUIET_MS = [2_000, 8_000] as const;
/** Shorter than wal_sender_timeout. */
const LAG_MS = [1_000, 4_000] as const;

/** Far more than fit into a day. */
const MAX_ROUNDS = 1_000;

/** More than any run needs: the nemesis takes as many as fit. */
export function* leaderFaults(seed: number, isSynchronous: boolean): Generator<LeaderFault, void> {
  const random = new SeededRandom(seed, 'leader');
  const lags = new SeededRandom(seed, 'lag of the standbys');
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const left = [...LEADER_FAULTS];
    while (left.length > 0) {
      const [kind = 'switchover'] = left.splice(random.below(left.length), 1);
      const forMs = random.between(...LONG_MS);
      const canLag = !isSynchronous && kind.startsWith('kill the ') && kind !== 'kill the Patroni of the leader';
      const lagMs = canLag ? lags.between(...LAG_MS) : 0;
      yield { kind, forMs, quietMs: random.between(...QUIET_MS), lagMs };
    }
  }
}
