// `everyshare login`, and `listen` and `trigger` over the API: with a test key they work from a machine that has no
// database and no installation.

import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { Webhook } from 'standardwebhooks';
import Stripe from 'stripe';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { Everyshare, webhooks } from '../../sdk/src/everyshare.ts';
import { userConfigFolder } from '../../src/base/user-folder.ts';
import { readSecret } from '../../src/cli/read-secret.ts';
import { EVENT_LIST } from '../../src/domain/events/event-types.ts';
import { type CommandLine, commandLine } from '../support/run-command.ts';
import { ORIGIN, openTestVenue, type TestVenue } from '../support/test-venue.ts';
import { openTestWorld, type TestWorld } from '../support/test-world.ts';
import { waitFor } from '../support/wait-for.ts';

let world: TestWorld;
let venue: TestVenue;
let url: string;
let folder: string;
/** A command line without a database. */
let cli: CommandLine;
const loginFile = (): string => join(folder, 'login.json');

interface Post {
  readonly body: string;
  readonly headers: IncomingHttpHeaders;
}
const posts: Post[] = [];
const receiver = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    posts.push({ body: Buffer.concat(chunks).toString(), headers: request.headers });
    response.writeHead(202).end();
  });
});
const receiverUrl = (): string => `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hooks`;

/** Passes bytes to the server, and can cut every connection. */
const sockets = new Set<Socket>();
let connections = 0;
/** How many event streams the server has opened. */
let streams = 0;
const proxy = createTcpServer((client) => {
  connections += 1;
  const server = connect(Number(new URL(url).port), '127.0.0.1');
  for (const socket of [client, server]) {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
  }
  server.on('data', (chunk: Buffer) => {
    if (chunk.includes('retry: ')) streams += 1;
  });
  client.pipe(server).pipe(client);
});
const proxyUrl = (): string => `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
const cutConnections = (): void => {
  for (const socket of sockets) socket.destroy();
};

beforeAll(async () => {
  world = await openTestWorld();
  url = world.urls[0] ?? '';
  venue = await openTestVenue(world);
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  cutConnections();
  await new Promise((resolve) => receiver.close(resolve));
  await new Promise((resolve) => proxy.close(resolve));
  await world.close();
});
beforeEach(() => {
  posts.length = 0;
  folder = join(mkdtempSync(join(tmpdir(), 'everyshare-login-')), 'everyshare');
  cli = commandLine(null, { DATA_DIR: '/no/such/folder' }, folder);
});
afterEach(() => rmSync(join(folder, '..'), { recursive: true }));

const login = (server = url) => cli.json('login', '--url', server, '--key', venue.key);
const client = (): Everyshare => new Everyshare({ apiKey: venue.key, baseUrl: url });
let bookings = 0;
const createCheckout = () =>
  client().checkouts.create({
    amount: 24_000,
    currency: 'usd',
    party_size: 2,
    pay_by: new Date(Date.now() + 86_400_000).toISOString(),
    description: 'Cabana 3',
    return_url: `${ORIGIN}/thanks`,
    external_booking_id: `login-${++bookings}`,
  });

describe('everyshare login', () => {
  it('keeps the key in a file that only its owner can read, and logout removes it', async () => {
    expect(await login()).toEqual({ url, venue: 'Harbor Club', mode: 'test', file: loginFile() });
    expect(statSync(loginFile()).mode & 0o777).toBe(0o600);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    const kept = JSON.parse(readFileSync(loginFile(), 'utf8'));
    expect(kept).toMatchObject({ url, key: venue.key });
    // The next login knows the address, and the secret of listen stays.
    await cli.json('login', '--key', venue.key);
    expect(JSON.parse(readFileSync(loginFile(), 'utf8'))).toEqual(kept);
    expect(await cli.json('logout')).toEqual({ removed: true, file: loginFile() });
    expect(existsSync(loginFile())).toBe(false);
    expect(await cli.json('logout')).toEqual({ removed: false, file: loginFile() });
  });

  it('narrows the permissions of a file that was readable for others', async () => {
    await login();
    chmodSync(loginFile(), 0o644);
    await login();
    expect(statSync(loginFile()).mode & 0o777).toBe(0o600);
  });

  it('reads the key from standard input when it is not given', async () => {
    const input = new PassThrough();
    input.end(`${venue.key}\n`);
    const stdin = vi.spyOn(process, 'stdin', 'get').mockReturnValue(input as never);
    try {
      expect(await cli.json('login', '--url', url)).toMatchObject({ venue: 'Harbor Club' });
    } finally {
      stdin.mockRestore();
    }
  });

  it('asks for the key on a terminal, and shows nothing of it', async () => {
    const terminal = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => undefined });
    const echoed = vi.spyOn(process.stdout, 'write');
    const printed: string[] = [];
    const reading = readSecret(terminal, 'Key: ', (text) => printed.push(text));
    terminal.write('svc_test_typed\r');
    expect(await reading).toBe('svc_test_typed');
    expect(printed).toEqual(['Key: ', '\n']);
    expect(echoed.mock.calls.flat().join('')).not.toContain('typed');
    echoed.mockRestore();
  });

  it('keeps nothing when the key or the server is wrong, and says what to do', async () => {
    const unknown = `svc_test_${'x'.repeat(32)}`;
    const cases: [string[], 1 | 2, RegExp][] = [
      [['--key', unknown], 1, /refuses the key .+: log in with another/],
      [['--key', `pk_test_${'x'.repeat(32)}`], 2, /this is a publishable key, for browsers: give a secret test key/],
      [['--key', 'abc'], 2, /this is not a key of Everyshare/],
      [['--key', venue.key, '--url', 'http://127.0.0.1:1'], 1, /does not answer: check the address/],
      [['--key', venue.key, '--url', receiverUrl()], 1, /is not an Everyshare server \(status 202\)/],
      [['--key', venue.key, '--url', 'api.example.com'], 2, /--url is "api.example.com": give the address/],
    ];
    for (const [options, exit, message] of cases) {
      const given = options.includes('--url') ? options : [...options, '--url', url];
      expect(await cli.line(exit, 'login', ...given)).toMatch(message);
    }
    expect(existsSync(loginFile())).toBe(false);
  });

  it('refuses a live key before it is sent or kept', async () => {
    const { key } = await world.key(venue.venueId, { mode: 'live', scopes: ['webhooks:write'] });
    const before = connections;
    expect(await cli.line(2, 'login', '--url', proxyUrl(), '--key', key)).toMatch(
      /this is a live key, and listen and trigger work in test mode only: give a secret test key/,
    );
    expect([connections, existsSync(loginFile())]).toEqual([before, false]);
  });

  it('names the server in its prompt, so that a key is not typed for another', async () => {
    const terminal = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => undefined });
    const stdin = vi.spyOn(process, 'stdin', 'get').mockReturnValue(terminal as never);
    try {
      terminal.write(`${venue.key}\r`);
      const { exit, err } = await cli.run('login', '--url', url);
      expect([exit, err]).toEqual([0, `Secret test key for ${url} (svc_test_…): \n`]);
    } finally {
      stdin.mockRestore();
    }
  });

  it('leaves no key behind after logout, also when a login was killed while it wrote', async () => {
    await login();
    for (const name of ['login.json.4711', 'login.json.bak', 'other.json']) writeFileSync(join(folder, name), '{}');
    expect(await cli.json('logout')).toMatchObject({ removed: true });
    expect(readdirSync(folder).sort()).toEqual(['login.json.bak', 'other.json']);
    writeFileSync(join(folder, 'login.json.4711'), '{}');
    expect(await cli.json('logout')).toMatchObject({ removed: true });
    expect(await cli.json('logout')).toMatchObject({ removed: false });
  });

  it('is kept in the folder that XDG names, else in ~/.config', () => {
    expect(userConfigFolder({ XDG_CONFIG_HOME: '/x', HOME: '/home/ada' })).toBe('/x/everyshare');
    expect(userConfigFolder({ XDG_CONFIG_HOME: 'relative', HOME: '/home/ada' })).toBe('/home/ada/.config/everyshare');
    expect(userConfigFolder({ HOME: '/home/ada' })).toBe('/home/ada/.config/everyshare');
  });
});

describe('listen with a login', () => {
  it('forwards the events of the API, signed, and goes on after a cut connection without losing one', async () => {
    await login(proxyUrl());
    const running = cli.run('listen', '--forward-to', receiverUrl(), '--count', '3', '--json');
    await waitFor('the stream is open', () => streams === 1);
    // A break before the first event, then one after it.
    cutConnections();
    const first = await createCheckout();
    await waitFor('the first event is forwarded', () => posts.length === 1);
    cutConnections();
    const second = await createCheckout();
    await waitFor('the event of the break is forwarded', () => posts.length === 2);
    const third = await client().checkouts.cancel(second.id);
    const { exit, out, err } = await running;
    expect(exit, err).toBe(0);
    const { secret, forwarded } = JSON.parse(out);
    expect(forwarded.at(-1)).toMatchObject({ type: 'checkout.canceled', result: '202', subscribable: true });
    const ids = posts.map(({ body }) => JSON.parse(body).data.object.id);
    expect([ids, streams]).toEqual([[first.id, second.id, third.id], 3]);
    expect(err).toContain(`forwarding test events of Harbor Club at ${proxyUrl()} to ${receiverUrl()}`);
    const breaks = err.match(/^the stream .+$/gm);
    expect(breaks).toEqual(Array(2).fill(['the stream broke: opening it again', 'the stream is open again']).flat());
    for (const { body, headers } of posts) {
      expect((await webhooks.constructEvent(body, headers, secret)).object).toBe('event');
      new Stripe('sk_test_unused').webhooks.constructEvent(body, String(headers['service-signature']), secret);
      new Webhook(secret).verify(body, headers as Record<string, string>);
      const { id } = JSON.parse(body);
      const { json } = await world.call('GET', `/v1/events/${id}`, { key: venue.key });
      expect(JSON.parse(body)).toEqual(json);
    }
  });

  it('marks the events that no endpoint can subscribe to, and leaves out other types', async () => {
    await login();
    const running = cli.run('listen', '--forward-to', receiverUrl(), '--count', '1', '--event', 'offering.approved');
    await waitFor('the offering is approved', async () => {
      const { data } = await client().offerings.upsert({
        external_id: `tee-${++bookings}`,
        kind: 'tee_time',
        title: 'Eighteen holes',
        tiers: [{ amount: 4_500, currency: 'usd', unit: 'per_person' }],
      });
      await client().testHelpers.review({ id: data.id, status: 'approved' });
      return waitFor('a post', () => posts.length > 0, { timeoutMs: 1_000 }).catch(() => false);
    });
    const { exit, out } = await running;
    expect(exit).toBe(0);
    expect(out).toMatch(/\nready\n/);
    expect(out).toMatch(
      /offering\.approved {2}evt_\w+ {2}202 {2}\(log only: no webhook endpoint can subscribe to it\)/,
    );
  });

  it('prints nothing of the server that could move the cursor', async () => {
    const fake = createServer((_request, response) => {
      const message = 'no\u001b[2J\u202eway\u2028here';
      response.writeHead(403, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error: { code: 'forbidden', message, request_id: 'req_1' } }));
    });
    await new Promise<void>((resolve) => fake.listen(0, '127.0.0.1', resolve));
    try {
      await login();
      const server = `http://127.0.0.1:${(fake.address() as AddressInfo).port}`;
      const changed = { ...JSON.parse(readFileSync(loginFile(), 'utf8')), url: server, venue: 'Har\u001b[2J\u202ebor' };
      writeFileSync(loginFile(), JSON.stringify(changed));
      const { exit, out, err } = await cli.run('listen', '--forward-to', receiverUrl());
      expect([exit, out.split('\n')[0]]).toEqual([
        1,
        `forwarding test events of Har\ufffd[2J\ufffdbor at ${server} to ${receiverUrl()}`,
      ]);
      expect(err).toBe(`everyshare: ${server} answers: no\ufffd[2J\ufffdway here (req_1)\n`);
    } finally {
      await new Promise((resolve) => fake.close(resolve));
    }
  });

  it('ends without a stack when the reader of its output goes away', async () => {
    await login(proxyUrl());
    const before = streams;
    const running = cli.run('listen', '--forward-to', receiverUrl());
    await waitFor('the stream is open', () => streams > before);
    const others = process.stdout.listenerCount('error');
    process.stdout.emit('error', Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
    expect(await running).toMatchObject({ exit: 0, err: '', out: expect.stringMatching(/\n0 events forwarded\.\n$/) });
    expect(process.stdout.listenerCount('error')).toBe(others - 1);
  });

  it('says what to do when the key is revoked', async () => {
    const { key, id } = await world.key(venue.venueId);
    await cli.json('login', '--url', url, '--key', key);
    await world.revoke(id);
    const line = await cli.run('listen', '--forward-to', receiverUrl(), '--count', '1');
    expect(line).toMatchObject({ exit: 1, err: expect.stringMatching(/refuses the key .+everyshare login/) });
  });
});

describe('trigger with a login', () => {
  it.each([
    'checkout.created',
    'share.held',
    'checkout.completed',
    'checkout.expired',
    'checkout.canceled',
    'refund.created',
    'offering.rejected',
  ])('%s happens at the server, whose venue has its own origins', async (type) => {
    await login();
    const { event } = await cli.json<{ event: { id: string; type: string } }>('trigger', type);
    const { json } = await world.call('GET', `/v1/events/${event.id}`, { key: venue.key });
    expect(json).toEqual(event);
    expect(event.type).toBe(type);
  });

  it('says that no endpoint can subscribe to the type, where that is so', async () => {
    await login();
    const { out } = await cli.run('trigger', 'offering.approved');
    expect(out).toMatch(/log only +no webhook endpoint can subscribe to this type/);
    expect((await cli.run('trigger', 'checkout.created')).out).not.toContain('log only');
  });

  it('says what is missing when the venue has no origin', async () => {
    const opened = await world.venue({ origins: [] });
    await cli.json('login', '--url', url, '--key', opened.secretTest);
    expect(await cli.line(1, 'trigger', 'checkout.created')).toMatch(/this venue has none yet.+venue origin add/);
  });
});

describe('listen and trigger', () => {
  const commands = [
    ['listen', '--forward-to', 'http://127.0.0.1:9/'],
    ['trigger', 'checkout.created'],
  ];

  it('refuse a live key', async () => {
    await login();
    const kept = readFileSync(loginFile(), 'utf8');
    writeFileSync(loginFile(), kept.replace('svc_test_', 'svc_live_'));
    for (const words of commands)
      expect(await cli.line(1, ...words)).toMatch(
        /live key, and this command works in test mode only: log in with a test key/,
      );
  });

  it('without a login and without an installation say what to do', async () => {
    for (const words of commands)
      expect(await cli.line(1, ...words)).toMatch(
        /no login, and no installation in \/no\/such\/folder: log in to a server .+, or start one here/,
      );
  });

  it('use the installation on this machine without a login, and with --venue', async () => {
    const local = commandLine(world, {}, folder);
    const words = ['trigger', 'checkout.created', '--venue', venue.venueId];
    expect((await local.json<{ event: { mode: string } }>(...words)).event.mode).toBe('test');
    await login(proxyUrl());
    const before = connections;
    await local.json(...words);
    expect(connections).toBe(before);
  });

  it('say so when the login cannot be used', async () => {
    await login();
    writeFileSync(loginFile(), '{"url":');
    for (const words of commands)
      expect(await cli.line(1, ...words)).toMatch(/is not a login: run "everyshare login" again/);
  });
});

describe('everyshare events', () => {
  it('lists every type of the schemas, and marks those that no endpoint can subscribe to', async () => {
    const { $defs } = JSON.parse(readFileSync('schemas/v1/fields.json', 'utf8'));
    const { events } = await cli.json<{ events: { type: string; subscribable: boolean }[] }>('events');
    expect(events.map(({ type }) => type)).toEqual($defs.event_type.enum);
    const subscribable = events.filter((event) => event.subscribable).map(({ type }) => type);
    expect(subscribable).toEqual($defs.subscribed_events.items.enum);
    const { out } = await cli.run('events');
    for (const { type, isSubscribable } of EVENT_LIST)
      expect(out).toMatch(new RegExp(`^${type} +${isSubscribable ? '' : 'log only +'}[a-z_]`, 'm'));
    expect(out.match(/log only/g)).toHaveLength(events.length - subscribable.length);
  });
});
