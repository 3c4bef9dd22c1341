// The command-line options of `npm run chaos`.

import { LEADER_FAULTS_MINUTES } from './patroni/leader-faults.ts';

export interface Options {
  readonly minutes: number;
  readonly seed: number;
  /** Bookings at the same time. */
  readonly concurrency: number;
  /** Approximate seconds between two actions of the nemesis. */
  readonly everySeconds: number;
  /**
   * Time for the workers to finish all work after the nemesis; if it is longer than a lease, unfinished work is a
   * violation.
   */
  readonly settleSeconds: number;
  readonly json: boolean;
  readonly keep: boolean;
  /** Two PostgreSQL servers behind PgBouncer; a kill of PostgreSQL is a promotion of the standby. */
  readonly standby: boolean;
  /** Three PostgreSQL servers under Patroni with etcd and HAProxy. Null: no Patroni. */
  readonly patroni: 'synchronous' | 'asynchronous' | null;
  /** A Citus cluster of three PostgreSQL servers, over which the tables are distributed. */
  readonly citus: boolean;
}

const HELP = `npm run chaos -- [--minutes N] [--seed S] [--concurrency N] [--every SECONDS] [--patience SECONDS] [--json] [--keep] [--standby | --citus | --patroni [--async]]

Kills, stops, disconnects and slows two API servers, two workers, the card processor and PostgreSQL under load. Then it waits
until all work is done, and checks every promise against the database, the processor's records and the clients' responses.

  --minutes N   duration, 0.1 to 1440 (5); fractions are allowed. From 5 on each kind of action is done at least once, and a
                run in which one failed, or in which an outcome is missing, is a violation
  --seed S      seed of the nemesis's plan and of the clients' scenarios (random; it is printed)
  --concurrency N  bookings at the same time, 1 to 200 (8)
  --every S     approximate seconds between two actions of the nemesis (3; 10 with --patroni)
  --patience S  seconds for the workers to finish all work after the nemesis (70: longer than a lease); unfinished work is then
                a violation; with 60 or less "everyshare reconcile" finishes it, and the report counts it
  --json        print the summary as one JSON document, and nothing else
  --standby     PostgreSQL with a synchronous standby (Debian's packages, installed if permitted) behind PgBouncer in
                transaction mode; a killed PostgreSQL means that the standby is promoted and a new one is made
  --patroni     three PostgreSQL servers under Patroni with etcd and HAProxy (Debian's packages, installed if permitted), run by
                an ordinary user. The leader is killed, cut off, stopped and switched over, one fault at a time. From
                ${LEADER_FAULTS_MINUTES} minutes on each of these faults is done at least once. Replication is synchronous: nothing that was
                acknowledged may be lost
  --async       with --patroni: replication is asynchronous, and standbys are behind when the leader is killed. What is lost
                must be found by "everyshare reconcile", which then repairs what it can
  --citus       three PostgreSQL servers with Citus (CITUS_BIN names the folder of their programs), over which "everyshare
                distribute" has spread the tables. A killed PostgreSQL is a worker node or the coordinator, in turns
  --keep        keep the database and the copied program

Writes to .chaos/<seed>/: timeline.html (the plot), summary.json, timeline.jsonl, logs/, and violations.json if any.
Exits with 0 if every rule held, else with 1.
`;

/** Returns null after it has printed the help. */
export function readOptions(argv: readonly string[]): Options | null {
  const args = [...argv];
  const given = new Map<string, string>();
  while (args.length > 0) {
    const option = args.shift() ?? '';
    if (option === '--help' || option === '-h') {
      process.stdout.write(HELP);
      return null;
    }
    if (/^--(json|keep|standby|patroni|async|citus)$/.test(option)) given.set(option, 'yes');
    else if (/^--(minutes|seed|concurrency|every|patience)$/.test(option)) given.set(option, args.shift() ?? '');
    else throw new Error(`${option} is not an option.\n\n${HELP}`);
  }
  const number = (name: string, fallback: number, min: number, max: number): number => {
    const text = given.get(name);
    const value = text === undefined ? fallback : Number(text);
    if (text === '' || !(value >= min && value <= max)) {
      throw new Error(`${name} must be a number from ${min} to ${max}.`);
    }
    return value;
  };
  if (['--standby', '--patroni', '--citus'].filter((option) => given.has(option)).length > 1)
    throw new Error('Use one of --standby, --patroni and --citus.');
  if (given.has('--async') && !given.has('--patroni')) throw new Error('--async goes with --patroni.');
  return {
    minutes: number('--minutes', 5, 0.1, 1_440),
    seed: Math.floor(number('--seed', Math.floor(Math.random() * 1_000_000), 0, 2 ** 31)),
    concurrency: Math.floor(number('--concurrency', 8, 1, 200)),
    everySeconds: number('--every', given.has('--patroni') ? 10 : 3, 0.2, 600),
    settleSeconds: number('--patience', 70, 1, 3_600),
    json: given.has('--json'),
    keep: given.has('--keep'),
    standby: given.has('--standby'),
    citus: given.has('--citus'),
    patroni: given.has('--patroni') ? (given.has('--async') ? 'asynchronous' : 'synchronous') : null,
  };
}
