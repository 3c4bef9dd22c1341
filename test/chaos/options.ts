// The words after `npm run chaos --`.

export interface Options {
  readonly minutes: number;
  readonly seed: number;
  /** How many stories go on at once. */
  readonly lanes: number;
  /** How far apart two deeds of the nemesis are, about. */
  readonly everySeconds: number;
  /** How long to wait, once it is quiet, for the workers alone; longer than a lease, and what is left is a violation. */
  readonly patienceSeconds: number;
  readonly json: boolean;
  readonly keep: boolean;
  /** Two PostgreSQL servers behind PgBouncer; a kill of PostgreSQL is a promotion of the standby. */
  readonly standby: boolean;
}

const HELP = `npm run chaos -- [--minutes N] [--seed S] [--lanes N] [--every SECONDS] [--patience SECONDS] [--json] [--keep] [--standby]

Kills, stops, cuts and slows two API servers, two workers, the card processor and PostgreSQL under load,
then lets it become quiet and checks every promise against the database, the processor's books and what clients were told.

  --minutes N   how long, 0.1 to 1440 (5); fractions are fine. From 5 on everything is done to everybody at least once, and a
                run in which that failed, or in which too little got done, shows nothing and is a violation
  --seed S      of the nemesis's plan and the clients' stories (random; it is printed)
  --lanes N     how many bookings are under way at once, 1 to 200 (8)
  --every S     seconds between two deeds of the nemesis, about (3)
  --patience S  seconds for the workers alone to finish everything once it is quiet (70: longer than a lease);
                what is left after that is a violation; with 60 or less it is settled by "everyshare reconcile" and only told
  --json        the verdict as one JSON document, and nothing else
  --standby     PostgreSQL and a synchronous standby (Debian's packages, installed if we may) behind PgBouncer in transaction
                mode; PostgreSQL killed means the standby promoted, and a new one made
  --keep        leave the database and the frozen program in place afterwards

Written to .chaos/<seed>/: timeline.html (the plot), verdict.json, timeline.jsonl, logs/, and violations.json if any.
Ends with 0 when everything held, else with 1.
`;

/** Null: only help was wanted, and given. */
export function readOptions(argv: readonly string[]): Options | null {
  const words = [...argv];
  const given = new Map<string, string>();
  while (words.length > 0) {
    const word = words.shift() ?? '';
    if (word === '--help' || word === '-h') {
      process.stdout.write(HELP);
      return null;
    }
    if (word === '--json' || word === '--keep' || word === '--standby') given.set(word, 'yes');
    else if (/^--(minutes|seed|lanes|every|patience)$/.test(word)) given.set(word, words.shift() ?? '');
    else throw new Error(`${word} is not an option.\n\n${HELP}`);
  }
  const number = (name: string, otherwise: number, least: number, most: number): number => {
    const text = given.get(name);
    const value = text === undefined ? otherwise : Number(text);
    if (text === '' || !(value >= least && value <= most)) {
      throw new Error(`${name} must be a number from ${least} to ${most}.`);
    }
    return value;
  };
  return {
    minutes: number('--minutes', 5, 0.1, 1_440),
    seed: Math.floor(number('--seed', Math.floor(Math.random() * 1_000_000), 0, 2 ** 31)),
    lanes: Math.floor(number('--lanes', 8, 1, 200)),
    everySeconds: number('--every', 3, 0.2, 600),
    patienceSeconds: number('--patience', 70, 1, 3_600),
    json: given.has('--json'),
    keep: given.has('--keep'),
    standby: given.has('--standby'),
  };
}
