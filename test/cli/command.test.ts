// The operator's command line on a real PostgreSQL: some tests run the whole program in its own process, the others
// call the same function in this process.

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
import { packageRoot } from '../../src/base/package-root.ts';
import { systemRandom } from '../../src/base/random.ts';
import { makeSeal } from '../../src/base/seal.ts';
import { readOrCreateSecret } from '../../src/base/secret-file.ts';
import { errorLine } from '../../src/cli/cli-error.ts';
import { runCommand } from '../../src/cli/command.ts';
import { checkNode } from '../../src/cli/doctor.ts';
import { type AppContext, commandContext, makeContext, readSchemas } from '../../src/run/context.ts';
import { copyInitializedData } from '../support/initialized-data.ts';
import { recordLines, recordStream } from '../support/record-logs.ts';
import { captureStream, noBackups } from '../support/run-command.ts';

// Starts the whole program in several tests.
vi.setConfig({ testTimeout: 60_000 });

interface CommandOutput {
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

const UNKNOWN_ID = '01900000-0000-7000-8000-000000000000';

let dataDir: string;
let postgres: EmbeddedPostgres;
let context: AppContext;

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'everyshare-cli-'));
  await copyInitializedData(dataDir);
  chmodSync(dataDir, 0o755);
  postgres = await startEmbeddedPostgres({ dataDir, settings: { fsync: 'off' } });
  const key = readOrCreateSecret(join(dataDir, 'encryption-key'), () => systemRandom.bytes(32).toString('base64'));
  context = makeContext({
    config: readConfig({ DATA_DIR: dataDir }),
    db: openDb({ url: postgres.url, connections: 4, pooled: false, applicationName: 'cli-test' }),
    clock: systemClock,
    random: systemRandom,
    log: makeLog('info', 'test', { write: recordLines }),
    sealKeys: [Buffer.from(key.text, 'base64')],
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
  const origin = { name: 'operator ada', via: 'cli', address: null, requestId: null } as const;
  return {
    context: { ...context, config: { ...context.config, ...changes } },
    command: commandContext(context, origin),
  };
}

const unmigrated = async () => ({ db: context.db, config: context.config, now: context.clock.now() });

/** Runs the command in this process. */
async function run(argv: readonly string[], open = () => openContext()): Promise<CommandOutput> {
  const out = captureStream(process.stdout);
  const err = captureStream(process.stderr);
  try {
    const exit = await runCommand(argv, open, () => context.config, join(dataDir, 'no-login'), noBackups, unmigrated);
    return { exit, out: out.text(), err: err.text() };
  } finally {
    out.end();
    err.end();
  }
}

/** Runs a command that must fail before it opens the database. */
async function refuse(...argv: string[]): Promise<string> {
  const output = await run(argv, () => Promise.reject(new Error('the database was opened')));
  expect(output).toMatchObject({ exit: 2, out: '' });
  return oneLine(output);
}

/** The one line on standard error, without "everyshare: ". */
function oneLine(output: CommandOutput): string {
  expect(output.err).toMatch(/^everyshare: [^\n]+\n$/);
  return output.err.slice('everyshare: '.length, -1);
}

async function json<T>(...argv: string[]): Promise<T> {
  const output = await run([...argv, '--json']);
  expect(output).toMatchObject({ exit: 0, err: '' });
  expect(output.out).toMatch(/^[^\n]+\n$/);
  return JSON.parse(output.out) as T;
}

async function fail(...argv: string[]): Promise<string> {
  const output = await run([...argv, '--json']);
  expect(output).toMatchObject({ exit: 1, out: '' });
  return oneLine(output);
}

interface ProgramOptions {
  readonly env?: Record<string, string>;
  /** Written to standard input, which then stays open. */
  readonly input?: string;
  /** The file descriptor of standard output; a pipe to the test by default. */
  readonly stdout?: number;
  /** The reader of standard output goes away at once. */
  readonly closesStdout?: true;
}

/** Runs the whole program in its own process. */
function runProgram(argv: readonly string[], options: ProgramOptions = {}): Promise<CommandOutput> {
  const child = spawn(process.execPath, [join(packageRoot, 'bin', 'everyshare.js'), ...argv], {
    cwd: packageRoot,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, USER: 'ada', DATA_DIR: dataDir, ...options.env },
    stdio: ['pipe', options.stdout ?? 'pipe', 'pipe'],
  });
  const output = { out: '', err: '' };
  child.stdout?.on('data', (chunk) => {
    output.out += chunk;
  });
  child.stderr?.on('data', (chunk) => {
    output.err += chunk;
  });
  if (child.stderr !== null) recordStream(child.stderr);
  if (options.closesStdout === true) child.stdout?.destroy();
  if (options.input !== undefined) child.stdin?.write(options.input);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (exit) => resolve({ exit: exit ?? -1, ...output }));
  });
}

async function newVenue(...options: string[]): Promise<Venue> {
  return json<Venue>('venue', 'create', '--name', 'Harbor Club', ...options);
}

function newOlderKey(): string {
  return `svc_live_${systemRandom.bytes(24).toString('hex')}`;
}

describe('the program', () => {
  it('creates a venue and prints exactly one JSON document with its test keys', async () => {
    const output = await runProgram([
      'venue',
      'create',
      '--name',
      'Harbor Club',
      '--origin',
      'https://a.example/',
      '--json',
    ]);
    expect(output).toMatchObject({ exit: 0, err: '' });
    expect(output.out).toMatch(/^[^\n]+\n$/);
    const venue = JSON.parse(output.out) as Venue;
    expect(venue).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name: 'Harbor Club',
      linked: true,
      origins: ['https://a.example'],
      keys: {
        secret_test: expect.stringMatching(/^svc_test_[A-Za-z0-9]{32}$/),
        publishable_test: expect.stringMatching(/^pk_test_[A-Za-z0-9]{32}$/),
      },
      // The embedded processor has onboarded it, so that live mode can be tried at once.
      payouts: {
        live: {
          account: expect.stringMatching(/^acct_/),
          transfers: 'active',
          due: [],
          checked_at: expect.any(String),
        },
      },
    });
    expect(await json('venue', 'show', venue.id)).toMatchObject({
      id: venue.id,
      linked: true,
      payouts: { test: null, live: { transfers: 'active' } },
    });
  });

  it('leaves the payouts of a venue undone with --without-payouts, says what is missing, and does it later', async () => {
    const created = await runProgram(['venue', 'create', '--name', 'Harbor Club', '--without-payouts']);
    expect(created).toMatchObject({ exit: 0, err: '' });
    expect(created.out).toMatch(/payouts \(live\) +none yet\. It has no payout account/);
    const id = /([0-9a-f-]{36})/.exec(created.out)?.[1] ?? '';
    const linkTo = ['venue', 'onboard', id, '--mode', 'live', '--return-url', 'https://harbor.example/'];
    expect(await runProgram(linkTo)).toMatchObject({ exit: 2, err: expect.stringContaining('--email is missing') });
    const onboarding = await runProgram([...linkTo, '--email', 'pay@harbor.example', '--json']);
    expect(JSON.parse(onboarding.out)).toMatchObject({ url: expect.stringContaining('/onboarding/acct_') });
    expect((await run(['venue', 'show', id])).out).toMatch(
      /payouts \(live\) +restricted .*needs: business_details\.url/,
    );
    expect((await run(['doctor'])).out).toMatch(/notice +payouts +cannot be paid.*Harbor Club/);
    const linked = await runProgram(['venue', 'link', id, '--json']);
    expect(JSON.parse(linked.out)).toMatchObject({ id, payouts: { live: { transfers: 'active' } } });
    expect((await run(['venue', 'show', id])).out).toMatch(/payouts \(live\) +active \(acct_/);
  });

  it('reads an older key from standard input, and exits although its input stays open', async () => {
    const { id } = await newVenue();
    const key = newOlderKey();
    const output = await runProgram(['key', 'import', '--venue', id, '--key', '-', '--json'], { input: `${key}\n` });
    expect(output).toMatchObject({ exit: 0, err: '' });
    expect(JSON.parse(output.out)).toMatchObject({ key, kind: 'secret', mode: 'live', venue_id: id });
  });

  it('prints one line on standard error for a failure, and exits non-zero', async () => {
    const output = await runProgram(['venue', 'link', UNKNOWN_ID]);
    expect(output).toMatchObject({ exit: 1, out: '' });
    expect(oneLine(output)).toContain(`there is no venue ${UNKNOWN_ID}`);
  });

  it('prints its help and its version without a database', async () => {
    // Nothing listens on this address, so a connection would fail.
    const key = Buffer.alloc(32).toString('base64');
    const env = { DATABASE_URL: 'postgres://x:y@127.0.0.1:1/none', ENCRYPTION_KEY: key };
    const [help, version] = await Promise.all([runProgram(['--help'], { env }), runProgram(['--version'], { env })]);
    expect(help).toMatchObject({ exit: 0, err: '' });
    expect(help.out).toContain('venue create');
    expect(version).toMatchObject({ exit: 0, err: '' });
    expect(version.out).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it.skipIf(!existsSync('/dev/full'))('reports that a key could not be printed', async () => {
    const full = openSync('/dev/full', 'w');
    try {
      const output = await runProgram(['venue', 'create', '--name', 'Lost'], { stdout: full });
      expect(output.exit).toBe(1);
      expect(oneLine(output)).toContain('ENOSPC');
    } finally {
      closeSync(full);
    }
  });

  it('exits with 0 when the reader of its output goes away', async () => {
    expect(await runProgram(['venue', 'list'], { closesStdout: true })).toMatchObject({ exit: 0, err: '' });
  });

  it('prints one line without the password when a database cannot be reached, and doctor reports it too', async () => {
    const key = Buffer.alloc(32).toString('base64');
    const env = { DATABASE_URL: 'postgres://x:topsecret@127.0.0.1:1/none', ENCRYPTION_KEY: key };
    const [list, doctor] = await Promise.all([
      runProgram(['venue', 'list'], { env }),
      runProgram(['doctor', '--json'], { env }),
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
  it('is printed with its name, its keys and a note that they are shown once', async () => {
    const output = await run(['venue', 'create', '--name', 'Zur Möwe 東京', '--sandbox']);
    expect(output).toMatchObject({ exit: 0, err: '' });
    expect(output.out).toMatch(/name +Zur Möwe 東京\n/);
    expect(output.out).toMatch(/svc_test_[A-Za-z0-9]{32}\n/);
    expect(output.out).toContain('shown once');
    expect((await run(['venue', 'list'])).out).toMatch(/^ID +NAME +STATUS.*\n(?:.*\n)*.*Zur Möwe 東京 +sandbox/);
  });

  it('gets origins, a fee and a link, and is revoked; each command prints the venue as it is then', async () => {
    const { id } = await newVenue('--sandbox');
    const shown = { id, name: 'Harbor Club', linked: false, origins: [], fee: { bps: 0, fixed: 0 }, revoked_at: null };
    const more = { payouts: { test: null, live: null }, debts: [], created_at: expect.stringMatching(/Z$/) };
    expect(await json('venue', 'show', id)).toMatchObject({ ...shown, ...more, timezone: 'UTC' });
    expect(await json('venue', 'origin', 'add', id, 'https://b.example')).toMatchObject({
      origins: ['https://b.example'],
    });
    expect(await json('venue', 'origin', 'remove', id, 'https://b.example/')).toMatchObject({ origins: [] });
    expect(await json('venue', 'fee', id, '--bps', '250', '--fixed', '30')).toMatchObject({
      fee: { bps: 250, fixed: 30 },
    });
    expect((await run(['venue', 'fee', id, '--bps', '500', '--fixed', '200'])).out).not.toMatch(/Warning/);
    const below = await run(['venue', 'fee', id, '--bps', '300', '--fixed', '0']);
    expect(below).toMatchObject({ exit: 0, err: '' });
    expect(below.out).toContain('Warning: this fee does not always cover what the card processor charges');
    expect(below.out).toMatch(/\n2 +12000 +720 +756 +-36\n6 +5000 +900 +1050 +-150\n10 +2000 +600 +880 +-280\n/);
    expect(await json('venue', 'link', id.toUpperCase())).toMatchObject({ id, linked: true });
    expect(await json('venue', 'revoke', id)).toMatchObject({ revoked_at: expect.stringMatching(/Z$/) });
    const venues = await json<{ id: string; revoked_at: string | null }[]>('venue', 'list');
    expect(venues.find((venue) => venue.id === id)?.revoked_at).not.toBeNull();
    expect(await fail('key', 'create', '--venue', id, '--kind', 'secret', '--mode', 'test')).toMatch(
      /--venue: .*revoked/,
    );
  });

  it('that does not exist is named in the error', async () => {
    const lines: string[][] = [
      ['venue', 'show', UNKNOWN_ID],
      ['venue', 'revoke', UNKNOWN_ID],
      ['venue', 'origin', 'add', UNKNOWN_ID, 'https://a.example'],
      ['venue', 'fee', UNKNOWN_ID, '--bps', '1', '--fixed', '1'],
      ['key', 'create', '--venue', UNKNOWN_ID, '--kind', 'secret', '--mode', 'test'],
      ['key', 'list', '--venue', UNKNOWN_ID],
      ['audit', 'list', '--venue', UNKNOWN_ID],
    ];
    for (const line of lines) expect(await fail(...line)).toContain(`there is no venue ${UNKNOWN_ID}`);
  });

  it('with a name that is too long is refused', async () => {
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
    expect(await fail('key', 'import', '--venue', id, '--key', newOlderKey())).toContain('venue link');
    await json('venue', 'link', id);
    const key = await json<{ scopes: string[] }>('key', 'create', '--venue', id, ...live);
    expect(key).toMatchObject({ key: expect.stringMatching(/^svc_live_[A-Za-z0-9]{32}$/), mode: 'live', venue_id: id });
    expect(key.scopes).toHaveLength(9);
  });

  it('has the scopes, the expiry, the addresses and the limits of its options', async () => {
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
      name: null,
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

  it('can be created for a mode without a processor', async () => {
    const { id } = await newVenue();
    const output = await run(['key', 'create', '--venue', id, ...live], () =>
      openContext({ modes: ['test'], sandboxProcessor: false }),
    );
    expect(output).toMatchObject({ exit: 0, err: '' });
    expect(output.out).toContain('shown once: keep it now');
  });

  it('is revoked by its id, once or twice, and is listed with a hint, never with its text', async () => {
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
    const text = newOlderKey();
    const key = await json<{ scopes: string[] }>('key', 'import', '--venue', id, '--key', text);
    expect(key).toMatchObject({ key: text, kind: 'secret', mode: 'live', expires_at: null, venue_id: id });
    expect(key.scopes).toHaveLength(9);
    expect(await fail('key', 'import', '--venue', id, '--key', text)).toBe('--key: This key is known already.');
  });

  it('that expires in the past is refused', async () => {
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

  it('lists actors and actions, newest first, page by page', async () => {
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

  it('has no entry for a refused change', async () => {
    const { id } = await newVenue('--sandbox');
    await fail('key', 'create', '--venue', id, '--kind', 'publishable', '--mode', 'live');
    expect(await json('audit', 'list', '--venue', id)).toHaveLength(3);
  });
});

describe('the doctor', () => {
  it('reports a healthy installation as ok', async () => {
    const response = await json<{ ok: boolean; checks: { name: string; ok: boolean }[] }>('doctor');
    expect(response.ok).toBe(true);
    expect(response.checks.map(({ name, ok }) => `${name} ${ok}`)).toEqual(
      [
        'node',
        'database',
        'migrations',
        'functions',
        'encryption_key',
        'clock',
        'processor',
        'payouts',
        'platform_payouts',
        'texts',
        'mail',
        'text_limit',
        'base_url',
        'refunds',
        'debts',
        'analytics',
      ].map((name) => `${name} true`),
    );
    const { out } = await run(['doctor']);
    expect(out).toMatch(/^ok +node +\d+/);
    expect(out).not.toContain('PROBLEM');
    // The venues of the tests before have no account at the processor, which is a notice and no problem.
    expect(out).toMatch(/^notice +payouts +cannot be paid/m);
  });

  it('reports a function that is missing, one with another body, and one without a file', async () => {
    const functionsCheck = async () => {
      const { out } = await run(['doctor', '--json']);
      const { checks } = JSON.parse(out) as { checks: { name: string; ok: boolean; detail: string }[] };
      return checks.find(({ name }) => name === 'functions');
    };
    await context.db.query("create function leftover() returns integer language sql as 'select 1'");
    expect(await functionsCheck()).toMatchObject({ ok: true, detail: expect.stringContaining('leftover') });
    await context.db.query('drop function leftover');
    await context.db.query(
      "insert into function_versions (name, hash, applied_at) values ('utc_text', 'other', now() + interval '1 hour')",
    );
    expect(await functionsCheck()).toMatchObject({ ok: false, detail: 'another body than in this program: utc_text' });
    await context.db.query("delete from function_versions where hash = 'other'");
    await context.db.query('alter function utc_text rename to utc_text_before');
    expect(await functionsCheck()).toMatchObject({ ok: false, detail: 'not in the database: utc_text' });
    await context.db.query('alter function utc_text_before rename to utc_text');
    expect(await functionsCheck()).toMatchObject({ ok: true });
  });

  it('prints a remedy beside each problem, and exits 1 with one line', async () => {
    const wrongClockAndKey = {
      ...context,
      clock: { now: () => Date.now() + 60_000 },
      seal: makeSeal([Buffer.alloc(32, 9)], systemRandom),
    };
    const withProblems = async () => {
      const opened = await openContext({ host: '0.0.0.0' });
      return { ...opened, context: { ...wrongClockAndKey, config: opened.context.config } };
    };
    const output = await run(['doctor'], withProblems);
    expect(output.exit).toBe(1);
    expect(output.out).toMatch(/PROBLEM +clock +(59|60)\.\d s .*\n +remedy: set both clocks/);
    expect(output.out).toMatch(/PROBLEM +base_url .*0\.0\.0\.0\n +remedy: set BASE_URL/);
    expect(oneLine(output)).toContain('encryption_key, clock, base_url');
    const response = await run(['--json', 'doctor'], withProblems);
    expect(response.exit).toBe(1);
    expect(JSON.parse(response.out)).toMatchObject({ ok: false });
  });

  it('reports a database that is newer than the program', async () => {
    await context.db.query("insert into migrations (version, name, checksum) values (999999, 'later', 'x')");
    try {
      const output = await run(['doctor']);
      expect(output.exit).toBe(1);
      expect(output.out).toContain('run the newer release');
    } finally {
      await context.db.query('delete from migrations where version = 999999');
    }
  });

  it('accepts only supported versions of Node.js', () => {
    expect(['20.18.9', '18.20.0', '20.19.0', '22.0.0'].map((version) => checkNode(version).ok)).toEqual([
      false,
      false,
      true,
      true,
    ]);
  });
});

describe('a wrong command line fails with one line and exit code 2, before the database is opened', () => {
  const key = ['key', 'create', '--venue', UNKNOWN_ID];
  const secret = [...key, '--kind', 'secret'];
  const lines: readonly (readonly [argv: string[], says: string])[] = [
    [['venue', 'create', '--nmae', 'x'], 'did you mean --name?'],
    [[...secret, '--mode', 'test', '--write-per-hour', '3'], 'did you mean --writes-per-hour?'],
    [['venue', 'list', '--frobnicate=svc_live_0123456789'], 'it takes --json, --help'],
    [['venue', 'list', '--name', 'x'], '"venue list" has no option "--name"'],
    [['venu', 'list'], 'did you mean "venue"?'],
    [['venue', 'lnk', UNKNOWN_ID], 'did you mean "venue link"?'],
    [['venue', 'origin', 'ad', UNKNOWN_ID, 'https://a.example'], 'did you mean "venue origin add"?'],
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
    [['venue', 'origin', 'add', UNKNOWN_ID, 'https://a.example/x'], 'URL is "https://a.example/x"'],
    [['venue', 'show', "1'; drop table venues"], 'which is not an id: "everyshare venue list"'],
    [['venue', 'show', 'two\nlines'], 'ID is "two lines"'],
    [
      ['venue', 'fee', UNKNOWN_ID, '--bps', '10001', '--fixed', '0'],
      '--bps is "10001": give a whole number from 0 to 10000',
    ],
    [['venue', 'fee', UNKNOWN_ID, '--bps', '1.5', '--fixed', '0'], '--bps is "1.5"'],
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
      ['key', 'import', '--venue', UNKNOWN_ID, '--key', `svc_live_${'A'.repeat(48)}`],
      '--key is not a live key of the older form',
    ],
    [['key', 'revoke', `svc_test_${'a'.repeat(32)}`], 'ID is "svc_test_[redacted]"'],
    [['audit', 'list', '--limit', '1001'], '--limit is "1001"'],
    [['audit', 'list', '--before', 'x'], '--before is "x"'],
  ];

  it.each(lines)('%j', async (argv, expected) => {
    const line = await refuse(...argv);
    expect(line).toContain(expected);
    expect(line).not.toMatch(/svc_(test|live)_[A-Za-z0-9]{10}/);
  });
});

describe('help', () => {
  const failIfOpened = () => Promise.reject(new Error('the database was opened'));

  it.each([[[]], [['help']], [['-h']], [['--help']]])('%j shows every command', async (argv) => {
    const output = await run(argv, failIfOpened);
    expect(output).toMatchObject({ exit: 0, err: '' });
    for (const text of ['start', 'venue origin remove ID URL', 'key import', 'audit list', 'doctor']) {
      expect(output.out).toContain(text);
    }
  });

  it.each([[['venue', '--help']], [['help', 'venue']]])('%j shows only the commands of that noun', async (argv) => {
    const output = await run(argv, failIfOpened);
    expect(output.out).toContain('everyshare venue create --name NAME [--origin URL]... [--sandbox]');
    expect(output.out).not.toContain('key create');
  });

  it.each(['start', 'serve', 'worker'])('%s --help and help %s exit with 0 and start nothing', async (role) => {
    for (const argv of [
      [role, '--help'],
      [role, '-h'],
      ['help', role],
    ]) {
      const output = await run(argv, failIfOpened);
      expect(output).toMatchObject({ exit: 0, err: '' });
      expect(output.out).toContain(`everyshare ${role}\n  run `);
    }
    const output = await run([role, '--help', '--json'], failIfOpened);
    expect(JSON.parse(output.out)).toMatchObject({ commands: [{ usage: `everyshare ${role}` }] });
    expect((await run([role, '--help', '--port', '1'], failIfOpened)).exit).toBe(2);
  });

  it('and messages of "member create" show the example of a phone, and no phone of a person', async () => {
    const help = await run(['member', 'create', '--help'], failIfOpened);
    expect(help.out).toContain('such as +15550100042');
    expect(errorLine(new Error('no text to +15550100042 or +4915123456789'), [])).toBe(
      'no text to +15550100042 or [redacted phone]',
    );
  });

  it('is one JSON document with --json', async () => {
    const output = await run(['key', 'list', '--help', '--json'], failIfOpened);
    expect(JSON.parse(output.out)).toMatchObject({ commands: [{ usage: 'everyshare key list [--venue ID]' }] });
  });

  it('accepts --json before the command', async () => {
    expect(JSON.parse((await run(['--json', 'venue', 'list'])).out)).toBeInstanceOf(Array);
    expect(JSON.parse((await run(['--json', 'version'], failIfOpened)).out)).toEqual({ version: expect.any(String) });
  });
});
