// The operator's command line on a real PostgreSQL: the whole program in a process of its own where that is the point,
// and the same function in this process where it is not.

import { spawn } from 'node:child_process';
import { chmodSync, closeSync, existsSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../sandbox/postgres/embedded.ts';
import { systemClock } from '../../src/base/clock.ts';
import { type Config, readConfig } from '../../src/base/config.ts';
import { openDb } from '../../src/base/db.ts';
import { makeLog } from '../../src/base/log.ts';
import { migrate } from '../../src/base/migrate.ts';
import { packageRoot } from '../../src/base/package-root.ts';
import { systemRandom } from '../../src/base/random.ts';
import { schemaFolders } from '../../src/base/schema-files.ts';
import { makeSeal } from '../../src/base/seal.ts';
import { readOrCreateSecret } from '../../src/base/secret-file.ts';
import { runCommand } from '../../src/cli/command.ts';
import { checkNode } from '../../src/cli/doctor.ts';
import { type AppContext, commandContext, makeContext, readSchemas } from '../../src/run/context.ts';
import { recordLines, recordStream } from '../support/record-logs.ts';

interface Said {
  readonly exit: number;
  readonly out: string;
  readonly err: string;
}

interface Venue {
  readonly id: string;
  readonly name: string;
  readonly linked: boolean;
  readonly origins: string[];
  readonly keys: { readonly secret_test: string; readonly publishable_test: string };
}

const NOBODY = '01900000-0000-7000-8000-000000000000';

let dataDir: string;
let postgres: EmbeddedPostgres;
let context: AppContext;

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'everyshare-cli-'));
  chmodSync(dataDir, 0o755);
  postgres = await startEmbeddedPostgres({ dataDir, settings: { fsync: 'off' } });
  await migrate(postgres.url, schemaFolders(packageRoot));
  const key = readOrCreateSecret(join(dataDir, 'encryption-key'), () => systemRandom.bytes(32).toString('base64'));
  context = makeContext({
    config: readConfig({ DATA_DIR: dataDir }),
    db: openDb({ url: postgres.url, connections: 4, pooled: false, applicationName: 'cli-test' }),
    clock: systemClock,
    random: systemRandom,
    log: makeLog('info', 'test', { write: recordLines }),
    sealKey: Buffer.from(key.text, 'base64'),
    operatorToken: 'opt_for_tests_0123456789abcdef',
    schemas: readSchemas(join(packageRoot, 'schemas', 'v1')),
  });
});

afterAll(async () => {
  await context.db.close();
  await postgres.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

async function openContext(changes: Partial<Config> = {}) {
  const by = { actor: 'operator ada', via: 'cli', address: null, requestId: null } as const;
  return { context: { ...context, config: { ...context.config, ...changes } }, command: commandContext(context, by) };
}

/** The command in this process. */
async function run(argv: readonly string[], open = () => openContext()): Promise<Said> {
  const out = heard(process.stdout);
  const err = heard(process.stderr);
  try {
    const exit = await runCommand(argv, open, () => context.config);
    return { exit, out: out.text(), err: err.text() };
  } finally {
    out.end();
    err.end();
  }
}

/** Keeps what is written instead of writing it. */
function heard(stream: NodeJS.WriteStream): { text(): string; end(): void } {
  let text = '';
  const spy = vi.spyOn(stream, 'write').mockImplementation((chunk, ...rest) => {
    text += String(chunk);
    for (const done of rest) if (typeof done === 'function') done();
    return true;
  });
  return { text: () => text, end: () => spy.mockRestore() };
}

/** For lines that must fail before anything is opened. */
async function refuse(...argv: string[]): Promise<string> {
  const said = await run(argv, () => Promise.reject(new Error('the database was opened')));
  expect(said).toMatchObject({ exit: 2, out: '' });
  return oneLine(said);
}

/** The one line on standard error, without its beginning. */
function oneLine(said: Said): string {
  expect(said.err).toMatch(/^everyshare: [^\n]+\n$/);
  return said.err.slice('everyshare: '.length, -1);
}

async function json<T>(...argv: string[]): Promise<T> {
  const said = await run([...argv, '--json']);
  expect(said).toMatchObject({ exit: 0, err: '' });
  expect(said.out).toMatch(/^[^\n]+\n$/);
  return JSON.parse(said.out) as T;
}

async function fail(...argv: string[]): Promise<string> {
  const said = await run([...argv, '--json']);
  expect(said).toMatchObject({ exit: 1, out: '' });
  return oneLine(said);
}

interface Around {
  readonly env?: Record<string, string>;
  /** Written to standard input, which then stays open. */
  readonly input?: string;
  /** Where standard output goes; to us, unless it is given. */
  readonly stdout?: number;
  /** Nobody reads standard output. */
  readonly deaf?: true;
}

/** The whole program in a process of its own. */
function program(argv: readonly string[], around: Around = {}): Promise<Said> {
  const child = spawn(process.execPath, [join(packageRoot, 'bin', 'everyshare.js'), ...argv], {
    cwd: packageRoot,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, USER: 'ada', DATA_DIR: dataDir, ...around.env },
    stdio: ['pipe', around.stdout ?? 'pipe', 'pipe'],
  });
  const said = { out: '', err: '' };
  child.stdout?.on('data', (chunk) => {
    said.out += chunk;
  });
  child.stderr?.on('data', (chunk) => {
    said.err += chunk;
  });
  if (child.stderr !== null) recordStream(child.stderr);
  if (around.deaf === true) child.stdout?.destroy();
  if (around.input !== undefined) child.stdin?.write(around.input);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (exit) => resolve({ exit: exit ?? -1, ...said }));
  });
}

async function newVenue(...options: string[]): Promise<Venue> {
  return json<Venue>('venue', 'create', '--name', 'Harbor House', ...options);
}

function olderKey(): string {
  return `svc_live_${systemRandom.bytes(24).toString('hex')}`;
}

describe('the program', () => {
  it('creates a venue and prints exactly one JSON document with its test keys', async () => {
    const said = await program([
      'venue',
      'create',
      '--name',
      'Harbor House',
      '--origin',
      'https://a.example/',
      '--json',
    ]);
    expect(said).toMatchObject({ exit: 0, err: '' });
    expect(said.out).toMatch(/^[^\n]+\n$/);
    const venue = JSON.parse(said.out) as Venue;
    expect(venue).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name: 'Harbor House',
      linked: true,
      origins: ['https://a.example'],
      keys: {
        secret_test: expect.stringMatching(/^svc_test_[A-Za-z0-9]{32}$/),
        publishable_test: expect.stringMatching(/^pk_test_[A-Za-z0-9]{32}$/),
      },
    });
    expect(await json('venue', 'show', venue.id)).toMatchObject({ id: venue.id, linked: true });
  });

  it('reads an older key from standard input, and ends although its input stays open', async () => {
    const { id } = await newVenue();
    const key = olderKey();
    const said = await program(['key', 'import', '--venue', id, '--key', '-', '--json'], { input: `${key}\n` });
    expect(said).toMatchObject({ exit: 0, err: '' });
    expect(JSON.parse(said.out)).toMatchObject({ key, kind: 'secret', mode: 'live', venue_id: id });
  });

  it('says one line on standard error for a failure, and exits non-zero', async () => {
    const said = await program(['venue', 'link', NOBODY]);
    expect(said).toMatchObject({ exit: 1, out: '' });
    expect(oneLine(said)).toContain(`there is no venue ${NOBODY}`);
  });

  it('helps and says its version without a database', async () => {
    // Nothing listens there: opening it would fail.
    const key = Buffer.alloc(32).toString('base64');
    const env = { DATABASE_URL: 'postgres://x:y@127.0.0.1:1/none', ENCRYPTION_KEY: key };
    const [help, version] = await Promise.all([program(['--help'], { env }), program(['--version'], { env })]);
    expect(help).toMatchObject({ exit: 0, err: '' });
    expect(help.out).toContain('venue create');
    expect(version).toMatchObject({ exit: 0, err: '' });
    expect(version.out).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it.skipIf(!existsSync('/dev/full'))(
    'says that a key could not be printed, rather than lose it in silence',
    async () => {
      const full = openSync('/dev/full', 'w');
      try {
        const said = await program(['venue', 'create', '--name', 'Lost'], { stdout: full });
        expect(said.exit).toBe(1);
        expect(oneLine(said)).toContain('ENOSPC');
      } finally {
        closeSync(full);
      }
    },
  );

  it('does not mind a reader that goes away', async () => {
    expect(await program(['venue', 'list'], { deaf: true })).toMatchObject({ exit: 0, err: '' });
  });

  it('says in one line that a database cannot be reached, without its password, and doctor finds it too', async () => {
    const key = Buffer.alloc(32).toString('base64');
    const env = { DATABASE_URL: 'postgres://x:topsecret@127.0.0.1:1/none', ENCRYPTION_KEY: key };
    const [list, doctor] = await Promise.all([
      program(['venue', 'list'], { env }),
      program(['doctor', '--json'], { env }),
    ]);
    expect(list).toMatchObject({ exit: 1, out: '' });
    expect(oneLine(list)).toMatch(/DATABASE_URL: the database at 127\.0\.0\.1:1 cannot be used/);
    expect(doctor.exit).toBe(1);
    expect(JSON.parse(doctor.out)).toMatchObject({
      ok: false,
      checks: [{ name: 'node' }, { name: 'database', ok: false }],
    });
    expect(list.err + doctor.out + doctor.err).not.toContain('topsecret');
  });
});

describe('a venue', () => {
  it('is shown to a person by name, with its keys and a line that they are shown once', async () => {
    const said = await run(['venue', 'create', '--name', 'Zur Möwe 東京', '--sandbox']);
    expect(said).toMatchObject({ exit: 0, err: '' });
    expect(said.out).toMatch(/name +Zur Möwe 東京\n/);
    expect(said.out).toMatch(/svc_test_[A-Za-z0-9]{32}\n/);
    expect(said.out).toContain('shown once');
    expect((await run(['venue', 'list'])).out).toMatch(/^ID +NAME +STATUS.*\n(?:.*\n)*.*Zur Möwe 東京 +sandbox/);
  });

  it('gets its origins, its fee and its link, and is revoked, each answered by the venue as it is then', async () => {
    const { id } = await newVenue('--sandbox');
    const shown = { id, name: 'Harbor House', linked: false, origins: [], fee: { bps: 0, fixed: 0 }, revoked_at: null };
    expect(await json('venue', 'show', id)).toEqual({ ...shown, created_at: expect.stringMatching(/Z$/) });
    expect(await json('venue', 'origin', 'add', id, 'https://b.example')).toMatchObject({
      origins: ['https://b.example'],
    });
    expect(await json('venue', 'origin', 'remove', id, 'https://b.example/')).toMatchObject({ origins: [] });
    expect(await json('venue', 'fee', id, '--bps', '250', '--fixed', '30')).toMatchObject({
      fee: { bps: 250, fixed: 30 },
    });
    expect(await json('venue', 'link', id.toUpperCase())).toMatchObject({ id, linked: true });
    expect(await json('venue', 'revoke', id)).toMatchObject({ revoked_at: expect.stringMatching(/Z$/) });
    const venues = await json<{ id: string; revoked_at: string | null }[]>('venue', 'list');
    expect(venues.find((venue) => venue.id === id)?.revoked_at).not.toBeNull();
    expect(await fail('key', 'create', '--venue', id, '--kind', 'secret', '--mode', 'test')).toMatch(
      /--venue: .*revoked/,
    );
  });

  it('that is not there is named in the line that says so', async () => {
    const lines: string[][] = [
      ['venue', 'show', NOBODY],
      ['venue', 'revoke', NOBODY],
      ['venue', 'origin', 'add', NOBODY, 'https://a.example'],
      ['venue', 'fee', NOBODY, '--bps', '1', '--fixed', '1'],
      ['key', 'create', '--venue', NOBODY, '--kind', 'secret', '--mode', 'test'],
      ['key', 'list', '--venue', NOBODY],
      ['audit', 'list', '--venue', NOBODY],
    ];
    for (const line of lines) expect(await fail(...line)).toContain(`there is no venue ${NOBODY}`);
  });

  it('with a name that is too long is refused by the option', async () => {
    expect(await fail('venue', 'create', '--name', 'x'.repeat(121))).toBe(
      '--name: The name of a venue has 1 to 120 characters.',
    );
  });
});

describe('a key', () => {
  const live = ['--kind', 'secret', '--mode', 'live', '--scope', 'all'];

  it('for live mode is refused to a sandbox venue until it is linked', async () => {
    const { id } = await newVenue('--sandbox');
    const refusal = await fail('key', 'create', '--venue', id, ...live);
    expect(refusal).toContain(`everyshare venue link ${id}`);
    expect(await fail('key', 'import', '--venue', id, '--key', olderKey())).toContain('venue link');
    await json('venue', 'link', id);
    const key = await json<{ scopes: string[] }>('key', 'create', '--venue', id, ...live);
    expect(key).toMatchObject({ key: expect.stringMatching(/^svc_live_[A-Za-z0-9]{32}$/), mode: 'live', venue_id: id });
    expect(key.scopes).toHaveLength(9);
  });

  it('carries the scopes, the expiry, the addresses and the limits that it was given', async () => {
    const { id } = await newVenue();
    const key = await json(
      ...['key', 'create', '--venue', id, '--kind', 'secret', '--mode', 'live'],
      ...['--scope', 'checkouts:read', '--scope', 'offerings:write', '--expires-at', '2090-06-12t09:30:00+02:00'],
      ...[
        '--allow-ip',
        '203.0.113.0/24',
        '--allow-ip',
        '2001:db8::1',
        '--writes-per-hour',
        '5',
        '--reads-per-hour',
        '7',
      ],
    );
    expect(key).toEqual({
      id: expect.stringMatching(/^key_[0-9a-z]{26}$/),
      key: expect.stringMatching(/^svc_live_/),
      kind: 'secret',
      mode: 'live',
      scopes: ['offerings:write', 'checkouts:read'],
      venue_id: id,
      expires_at: '2090-06-12T07:30:00.000000Z',
      allow_ips: ['203.0.113.0/24', '2001:db8::1'],
      writes_per_hour: 5,
      reads_per_hour: 7,
      created_at: expect.stringMatching(/Z$/),
    });
  });

  it('may be made for a mode that has no processor yet', async () => {
    const { id } = await newVenue();
    const said = await run(['key', 'create', '--venue', id, ...live], () =>
      openContext({ modes: ['test'], sandboxProcessor: false }),
    );
    expect(said).toMatchObject({ exit: 0, err: '' });
    expect(said.out).toContain('shown once: keep it now');
  });

  it('is revoked by its id, once or twice, and is listed by a hint and never by its text', async () => {
    const venue = await newVenue();
    const key = await json<{ id: string; key: string }>('key', 'create', '--venue', venue.id, ...live);
    const revoked = await json<{ revoked_at: string }>('key', 'revoke', key.id);
    expect(revoked).toMatchObject({ id: key.id, revoked_at: expect.stringMatching(/Z$/) });
    expect(await json('key', 'revoke', key.id)).toEqual(revoked);
    const listed = await json<{ id: string; hint: string }[]>('key', 'list', '--venue', venue.id);
    expect(listed).toHaveLength(3);
    expect(listed[0]).toMatchObject({
      id: key.id,
      hint: `svc_live_…${key.key.slice(-4)}`,
      revoked_at: revoked.revoked_at,
    });
    const shown = await run(['key', 'list']);
    expect(shown.out).toMatch(new RegExp(`${key.id} .*secret +live +revoked .*all\n`));
    for (const text of [key.key, venue.keys.secret_test])
      expect(JSON.stringify(listed) + shown.out).not.toContain(text);
    expect(await fail('key', 'revoke', `key_${'0'.repeat(26)}`)).toContain(`there is no key key_${'0'.repeat(26)}`);
  });

  it('of the older form is imported with every scope, once', async () => {
    const { id } = await newVenue();
    const text = olderKey();
    const key = await json<{ scopes: string[] }>('key', 'import', '--venue', id, '--key', text);
    expect(key).toMatchObject({ key: text, kind: 'secret', mode: 'live', expires_at: null, venue_id: id });
    expect(key.scopes).toHaveLength(9);
    expect(await fail('key', 'import', '--venue', id, '--key', text)).toBe('--key: This key is known already.');
  });

  it('that ends in the past is refused by the option', async () => {
    const { id } = await newVenue();
    expect(await fail('key', 'create', '--venue', id, ...live, '--expires-at', '2020-01-01T00:00:00Z')).toMatch(
      /^--expires-at: .*in the future/,
    );
  });
});

describe('the audit log', () => {
  interface Entry {
    readonly id: string;
    readonly action: string;
  }

  it('shows who did what, newest first, page by page', async () => {
    const { id } = await newVenue('--sandbox');
    await json('venue', 'link', id);
    await json('venue', 'origin', 'add', id, 'https://a.example');
    const all = await json<Entry[]>('audit', 'list', '--venue', id);
    expect(all.map((entry) => entry.action).sort()).toEqual([
      'key.create',
      'key.create',
      'origin.add',
      'venue.create',
      'venue.link',
    ]);
    expect(all[0]).toMatchObject({
      venue_id: id,
      action: 'origin.add',
      subject: 'https://a.example',
      actor: 'operator ada',
      via: 'cli',
    });
    const first = await json<Entry[]>('audit', 'list', '--venue', id, '--limit', '2');
    const rest = await json<Entry[]>('audit', 'list', '--venue', id, '--before', first[1]?.id ?? '');
    expect([...first, ...rest]).toEqual(all);
    expect((await run(['audit', 'list', '--limit', '1'])).out).toMatch(
      /^AT .*\n.* operator ada +cli +origin\.add +https:\/\/a\.example .*\n$/,
    );
  });

  it('has nothing to say of a change that was refused', async () => {
    const { id } = await newVenue('--sandbox');
    await fail('key', 'create', '--venue', id, '--kind', 'publishable', '--mode', 'live');
    expect(await json('audit', 'list', '--venue', id)).toHaveLength(3);
  });
});

describe('the doctor', () => {
  it('finds a sound installation sound', async () => {
    const response = await json<{ ok: boolean; checks: { name: string; ok: boolean }[] }>('doctor');
    expect(response.ok).toBe(true);
    expect(response.checks.map(({ name, ok }) => `${name} ${ok}`)).toEqual(
      ['node', 'database', 'migrations', 'encryption_key', 'clock', 'processor', 'texts', 'base_url', 'analytics'].map(
        (name) => `${name} true`,
      ),
    );
    expect((await run(['doctor'])).out).toMatch(/^ok {2}node +\d+/);
  });

  it('says the remedy beside each problem, and exits 1 with one line', async () => {
    const later = {
      ...context,
      clock: { now: () => Date.now() + 60_000 },
      seal: makeSeal(Buffer.alloc(32, 9), systemRandom),
    };
    const sick = async () => {
      const opened = await openContext({ host: '0.0.0.0' });
      return { ...opened, context: { ...later, config: opened.context.config } };
    };
    const said = await run(['doctor'], sick);
    expect(said.exit).toBe(1);
    expect(said.out).toMatch(/PROBLEM +clock +(59|60)\.\d s .*\n +remedy: set both clocks/);
    expect(said.out).toMatch(/PROBLEM +base_url .*0\.0\.0\.0\n +remedy: set BASE_URL/);
    expect(oneLine(said)).toContain('encryption_key, clock, base_url');
    const response = await run(['--json', 'doctor'], sick);
    expect(response.exit).toBe(1);
    expect(JSON.parse(response.out)).toMatchObject({ ok: false });
  });

  it('finds a database that is ahead of the program', async () => {
    await context.db.query("insert into migrations (version, name, checksum) values (999999, 'later', 'x')");
    try {
      const said = await run(['doctor']);
      expect(said.exit).toBe(1);
      expect(said.out).toContain('run the newer release');
    } finally {
      await context.db.query('delete from migrations where version = 999999');
    }
  });

  it('knows which Node.js is new enough', () => {
    expect(['20.18.9', '18.20.0', '20.19.0', '22.0.0'].map((version) => checkNode(version).ok)).toEqual([
      false,
      false,
      true,
      true,
    ]);
  });
});

describe('a line that was typed wrongly fails with one line and exit code 2, before the database is opened', () => {
  const key = ['key', 'create', '--venue', NOBODY];
  const secret = [...key, '--kind', 'secret'];
  const lines: readonly (readonly [argv: string[], says: string])[] = [
    [['venue', 'create', '--nmae', 'x'], 'did you mean --name?'],
    [[...secret, '--mode', 'test', '--write-per-hour', '3'], 'did you mean --writes-per-hour?'],
    [['venue', 'list', '--frobnicate=svc_live_0123456789'], 'it takes --json, --help'],
    [['venue', 'list', '--name', 'x'], '"venue list" has no option "--name"'],
    [['venu', 'list'], 'did you mean "venue"?'],
    [['venue', 'lnk', NOBODY], 'did you mean "venue link"?'],
    [['venue', 'origin', 'ad', NOBODY, 'https://a.example'], 'did you mean "venue origin add"?'],
    [['strat'], 'did you mean "start"?'],
    [['--json', 'start'], '"start" takes no options'],
    [['reconcil'], 'did you mean "reconcile"?'],
    [['reconcile', '--mode', 'both'], '--mode is "both": give test or live.'],
    [['venue'], 'needs another word: create, list'],
    [['venue', 'list', 'more'], '"more" is one argument too many'],
    [['venue', 'link'], '"venue link" needs ID'],
    [['venue', 'create'], '--name is missing'],
    [['venue', 'create', '--name'], '--name has no value'],
    [['venue', 'create', '--name', '--json'], '--name has no value'],
    [['venue', 'create', '--name', 'a', '--name', 'b'], '--name is given twice'],
    [['venue', 'create', '--name', 'a', '--sandbox=yes'], '--sandbox takes no value'],
    [['venue', 'create', '--name', 'a', '--origin', 'http://a.example'], '--origin is "http://a.example"'],
    [['venue', 'origin', 'add', NOBODY, 'https://a.example/x'], 'URL is "https://a.example/x"'],
    [['venue', 'show', "1'; drop table venues"], 'which is not an id: "everyshare venue list"'],
    [['venue', 'show', 'two\nlines'], 'ID is "two lines"'],
    [
      ['venue', 'fee', NOBODY, '--bps', '10001', '--fixed', '0'],
      '--bps is "10001": give a whole number from 0 to 10000',
    ],
    [['venue', 'fee', NOBODY, '--bps', '1.5', '--fixed', '0'], '--bps is "1.5"'],
    [[...key, '--kind', 'sekret', '--mode', 'test'], '--kind is "sekret": give secret or publishable'],
    [[...secret, '--mode', 'live'], '--scope is missing'],
    [[...secret, '--mode', 'live', '--scope', 'checkout:read'], 'did you mean checkouts:read?'],
    [
      [...secret, '--mode', 'test', '--expires-at', '2027-06-12'],
      '--expires-at is "2027-06-12": give a time with its offset',
    ],
    [[...secret, '--mode', 'test', '--allow-ip', '10.0.0.0/33'], '--allow-ip is "10.0.0.0/33"'],
    [[...secret, '--mode', 'test', '--reads-per-hour', '0'], '--reads-per-hour is "0"'],
    [
      ['key', 'import', '--venue', NOBODY, '--key', `svc_live_${'A'.repeat(48)}`],
      '--key is not a live key of the older form',
    ],
    [['key', 'revoke', `svc_test_${'a'.repeat(32)}`], 'ID is "svc_test_[redacted]"'],
    [['audit', 'list', '--limit', '1001'], '--limit is "1001"'],
    [['audit', 'list', '--before', 'x'], '--before is "x"'],
  ];

  it.each(lines)('%j', async (argv, says) => {
    const line = await refuse(...argv);
    expect(line).toContain(says);
    expect(line).not.toMatch(/svc_(test|live)_[A-Za-z0-9]{10}/);
  });
});

describe('help', () => {
  const never = () => Promise.reject(new Error('the database was opened'));

  it.each([[[]], [['help']], [['-h']], [['--help']]])('%j shows every command', async (argv) => {
    const said = await run(argv, never);
    expect(said).toMatchObject({ exit: 0, err: '' });
    for (const words of ['start', 'venue origin remove ID URL', 'key import', 'audit list', 'doctor']) {
      expect(said.out).toContain(words);
    }
  });

  it.each([[['venue', '--help']], [['help', 'venue']]])('%j shows the commands of that noun alone', async (argv) => {
    const said = await run(argv, never);
    expect(said.out).toContain('everyshare venue create --name NAME [--origin URL]... [--sandbox]');
    expect(said.out).not.toContain('key create');
  });

  it('is one JSON document for a program that asks', async () => {
    const said = await run(['key', 'list', '--help', '--json'], never);
    expect(JSON.parse(said.out)).toMatchObject({ commands: [{ usage: 'everyshare key list [--venue ID]' }] });
  });

  it('is not confused by --json before the words', async () => {
    expect(JSON.parse((await run(['--json', 'venue', 'list'])).out)).toBeInstanceOf(Array);
    expect(JSON.parse((await run(['--json', 'version'], never)).out)).toEqual({ version: expect.any(String) });
  });
});
