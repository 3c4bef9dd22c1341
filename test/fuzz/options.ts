// The command-line options of `npm run fuzz`.

export interface Options {
  readonly requests: number;
  readonly seed: number;
  /** Requests at the same time. */
  readonly concurrency: number;
  /** How long a response may take. */
  readonly timeoutSeconds: number;
  /** The number of one request to repeat; null for a whole run. */
  readonly replay: number | null;
  readonly json: boolean;
  /** Only requests to the addresses of venue systems. */
  readonly hooksOnly: boolean;
}

const HELP = `npm run fuzz -- [--requests N] [--seed S] [--concurrency N] [--bound SECONDS] [--hooks] [--json]
npm run fuzz -- --replay SEED:NUMBER

Starts PostgreSQL, the card processor, an API server and a worker as separate processes, creates objects in every state, and
sends requests of every kind to every operation and address: valid ones, and ones that are broken in every way.

  --requests N         number of requests, 1 to 10000000 (20000)
  --seed S             seed of everything that is random (random; it is printed)
  --concurrency N      requests at the same time, 1 to 64 (8)
  --bound SECONDS      how long a response may take, 1 to 3600 (20); use more on a busy machine
  --hooks              only requests to the addresses of venue systems; also with --replay, if the run had it
  --replay SEED:NUMBER repeat one request of an earlier run in a new fixture, and print its response
  --json               print the summary as one JSON document, and nothing else

Fails on: a 5xx, no response in time, a status or body that the OpenAPI document does not have, a tool result that does not match
its schemas, an error in another shape than ours, internals in a response, an address that got no request or (from 5000 requests
on) accepted none, an error or a secret in a log, memory that grows, records that do not agree at the end, or a server that no
longer serves the README's checkout.
Writes to .fuzz/<seed>/: findings.jsonl (each bad response, complete), summary.json, logs/. Exits with 0 without a failure, else
with 1.
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
    if (option === '--json' || option === '--hooks') given.set(option, 'yes');
    else if (/^--(requests|seed|concurrency|bound|replay)$/.test(option)) given.set(option, args.shift() ?? '');
    else throw new Error(`${option} is not an option.\n\n${HELP}`);
  }
  const integer = (name: string, fallback: number, min: number, max: number): number => {
    const text = given.get(name);
    const value = text === undefined ? fallback : Number(text);
    if (text === '' || !Number.isInteger(value) || value < min || value > max) {
      throw new Error(`${name} must be a whole number from ${min} to ${max}.`);
    }
    return value;
  };
  const replay = /^(\d+):(\d+)$/.exec(given.get('--replay') ?? '');
  if (given.has('--replay') && replay === null)
    throw new Error('--replay takes SEED:NUMBER, as printed by an earlier run.');
  return {
    requests: integer('--requests', 20_000, 1, 10_000_000),
    seed: replay === null ? integer('--seed', Math.floor(Math.random() * 1_000_000), 0, 2 ** 31) : Number(replay[1]),
    timeoutSeconds: integer('--bound', 20, 1, 3_600),
    concurrency: integer('--concurrency', 8, 1, 64),
    replay: replay === null ? null : Number(replay[2]),
    json: given.has('--json'),
    hooksOnly: given.has('--hooks'),
  };
}
