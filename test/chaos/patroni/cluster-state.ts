// What Patroni's REST API says of the cluster.

export interface ClusterMember {
  readonly name: string;
  readonly role: 'leader' | 'sync_standby' | 'replica' | string;
  readonly state: string;
  readonly timeline?: number;
}

const TIMEOUT_MS = 1_500;

/** Null: this server's Patroni does not answer. */
export async function readMembers(restApiUrl: string): Promise<readonly ClusterMember[] | null> {
  try {
    const response = await fetch(`${restApiUrl}/cluster`, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    return ((await response.json()) as { members?: ClusterMember[] }).members ?? [];
  } catch {
    return null;
  }
}

const RUNNING_STATES: ReadonlySet<string> = new Set(['running', 'streaming']);

/** One leader, and all others run on its timeline; with synchronous replication one of them is the synchronous standby. */
export function isHealed(members: readonly ClusterMember[], count: number, isSynchronous: boolean): boolean {
  const leader = members.find(({ role }) => role === 'leader');
  if (leader === undefined || members.length !== count) return false;
  const isRunning = members.every(({ state, timeline }) => RUNNING_STATES.has(state) && timeline === leader.timeline);
  return isRunning && (!isSynchronous || members.some(({ role }) => role === 'sync_standby'));
}
