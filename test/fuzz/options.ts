// The words after `npm run fuzz --`.

export interface Options {
  readonly requests: number;
  readonly seed: number;
  /** How many requests are under way at once. */
  readonly lanes: number;
  /** How long an answer may take. */
  readonly boundSeconds: number;
  /** Of one request alone, that was printed before. */
  readonly replay: number | null;
  readonly json: boolean;
}

const HELP = `npm run fuzz -- [--requests N] [--seed S] [--lanes N] [--bound SECONDS] [--json]
npm run fuzz -- --replay SEED:NUMBER

Starts PostgreSQL, the card processor, an API server and a worker as processes of their own, makes a world with something in every
state, and sends requests of every kind to every operation and address: right ones, and ones that are broken in every way.

  --requests N         how many, 1 to 10000000 (20000)
  --seed S             of everything that is drawn (random; it is printed)
  --lanes N            how many at once, 1 to 64 (8)
  --bound SECONDS      how long an answer may take, 1 to 3600 (20): more on a machine that does other things too
  --replay SEED:NUMBER one request of an earlier run, alone in a fresh world, with its answer
  --json               the verdict as one JSON document, and nothing else

Fails on: a 5xx, no answer in time, a status or body that the OpenAPI document does not have, a tool that gives what its schemas do
not, a failure that is not in our one shape, our inside in an answer, something that was never asked or (from 5000 requests on) of
which nothing was ever taken, an error in a log, a secret in a log, memory that grows, books that do not agree afterwards, or a
server that no longer serves the README's checkout.
Written to .fuzz/<seed>/: findings.jsonl (each bad answer, whole), verdict.json, logs/. Ends with 0 when everything held, else with 1.
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
    if (word === '--json') given.set(word, 'yes');
    else if (/^--(requests|seed|lanes|bound|replay)$/.test(word)) given.set(word, words.shift() ?? '');
    else throw new Error(`${word} is not an option.\n\n${HELP}`);
  }
  const whole = (name: string, otherwise: number, least: number, most: number): number => {
    const text = given.get(name);
    const value = text === undefined ? otherwise : Number(text);
    if (text === '' || !Number.isInteger(value) || value < least || value > most) {
      throw new Error(`${name} must be a whole number from ${least} to ${most}.`);
    }
    return value;
  };
  const replay = /^(\d+):(\d+)$/.exec(given.get('--replay') ?? '');
  if (given.has('--replay') && replay === null) throw new Error('--replay takes SEED:NUMBER, as it was printed.');
  return {
    requests: whole('--requests', 20_000, 1, 10_000_000),
    seed: replay === null ? whole('--seed', Math.floor(Math.random() * 1_000_000), 0, 2 ** 31) : Number(replay[1]),
    boundSeconds: whole('--bound', 20, 1, 3_600),
    lanes: whole('--lanes', 8, 1, 64),
    replay: replay === null ? null : Number(replay[2]),
    json: given.has('--json'),
  };
}
