// The guarded client against real receivers: pinning and rebinding, redirects, certificates, limits of size and time,
// broken responses, and error messages for callers. Nothing leaves the machine: for a public address the socket below
// the client is connected to a local receiver, and the requested address is recorded.

import { connect as connectTcp, type Socket } from 'node:net';
import tls from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { makeOutbound, type Outbound, type OutboundOptions } from '../../src/base/outbound/outbound.ts';
import { OutboundError } from '../../src/base/outbound/outbound-error.ts';
import { Pools } from '../../src/base/outbound/pools.ts';
import { certificate } from '../support/receiver-certificate.ts';
import {
  type Canary,
  type Listening,
  startCanary,
  startHttpsReceiver,
  startTcpReceiver,
  startTlsReceiver,
} from '../support/test-receivers.ts';

const openedResources: { close(): Promise<void> }[] = [];
afterEach(async () => {
  vi.restoreAllMocks();
  for (const resource of openedResources.splice(0)) await resource.close();
});

async function closeAfterTest<Thing extends { close(): Promise<void> }>(
  resource: Promise<Thing> | Thing,
): Promise<Thing> {
  const opened = await resource;
  openedResources.unshift(opened);
  return opened;
}

const client = (options: Partial<OutboundOptions> = {}): Promise<Outbound> =>
  closeAfterTest(makeOutbound({ allowInsecureTargets: true, ...options }));

async function failureOf(request: Promise<unknown>): Promise<OutboundError> {
  const failure = await request.then(
    () => new Error('the request succeeded'),
    (error: unknown) => error,
  );
  if (!(failure instanceof OutboundError)) throw failure;
  expect(`${failure.publicMessage} ${failure.message} ${String(failure)}`).not.toMatch(
    /\d+\.\d+\.\d+|::|:\d{2,}|E[A-Z]{4,}/,
  );
  return failure;
}

const connectToPort = (port: number): Socket => connectTcp(port, '127.0.0.1').on('error', () => {});

/** Below the client: records the addresses that it would connect to, and connects the socket to a local receiver. */
function redirectConnections(port: number, trusted: boolean): { addresses: string[][]; servernames: unknown[] } {
  const recorded = { addresses: [] as string[][], servernames: [] as unknown[] };
  const connect = tls.connect as (options: tls.ConnectionOptions) => tls.TLSSocket;
  vi.spyOn(tls, 'connect').mockImplementation(((options: tls.ConnectionOptions) => {
    options.lookup?.(String(options.host), { all: true }, (_error, addresses) => {
      recorded.addresses.push((addresses as { address: string }[]).map(({ address }) => address));
    });
    recorded.servernames.push(options.servername);
    const local: tls.ConnectionOptions = { ...options, port };
    local.lookup = (_host, _options, done) => done(null, [{ address: '127.0.0.1', family: 4 }]);
    if (trusted) local.ca = certificate;
    return connect(local);
  }) as typeof tls.connect);
  return recorded;
}

describe('pinning', () => {
  it('a resolver that answers loopback after the first lookup changes nothing', async () => {
    const receiver = await closeAfterTest(startHttpsReceiver((_request, response) => response.end('ok')));
    const recorded = redirectConnections(receiver.port, true);
    const answers = [['8.8.8.8'], ['127.0.0.1'], ['127.0.0.1']];
    let lookups = 0;
    const outbound = await client({
      allowInsecureTargets: false,
      dnsCacheMs: 0,
      resolve: async () => answers[lookups++] ?? ['127.0.0.1'],
    });
    const url = 'https://receiver.example/';
    expect((await outbound.request({ url, method: 'GET' })).body.toString()).toBe('ok');
    expect(lookups).toBe(1);
    expect(recorded.addresses).toEqual([['8.8.8.8']]);
    expect((await failureOf(outbound.request({ url, method: 'GET' }))).kind).toBe('refused');
    expect(recorded.addresses).toHaveLength(1);
  });

  it('a lookup is cached for a while, and concurrent calls share one lookup', async () => {
    const receiver = await closeAfterTest(startHttpsReceiver((_request, response) => response.end('ok')));
    redirectConnections(receiver.port, true);
    let lookups = 0;
    const resolve = async (): Promise<string[]> => [lookups++ === 0 ? '8.8.8.8' : '127.0.0.1'];
    const outbound = await client({ allowInsecureTargets: false, resolve });
    const once = (): Promise<unknown> => outbound.request({ url: 'https://receiver.example/', method: 'GET' });
    await Promise.all([once(), once(), once()]);
    await once();
    expect(lookups).toBe(1);
  });

  it.each([
    [['8.8.8.8', '127.0.0.1']],
    [['127.0.0.1', '8.8.8.8']],
    [['8.8.8.8', '::1']],
    [['2606:4700::1', '8.8.8.8', '10.0.0.1']],
    [['8.8.8.8', '::ffff:7f00:1']],
    [Array.from({ length: 65 }, (_, last) => `8.8.8.${last}`)],
  ])('a lookup with public and private addresses is refused: %s', async (addresses) => {
    const recorded = redirectConnections(1, true);
    const outbound = await client({ allowInsecureTargets: false, resolve: async () => addresses });
    const failure = await failureOf(outbound.request({ url: 'https://receiver.example/', method: 'GET' }));
    expect(failure.kind).toBe('refused');
    expect(recorded.addresses).toEqual([]);
  });

  it('the certificate is checked for the host name, and IPv4 is tried first', async () => {
    const receiver = await closeAfterTest(
      startHttpsReceiver((request, response) => response.end(request.headers.host)),
    );
    const recorded = redirectConnections(receiver.port, true);
    const outbound = await client({
      allowInsecureTargets: false,
      resolve: async () => ['2606:4700::1', '8.8.8.8', '8.8.4.4'],
    });
    const result = await outbound.request({ url: 'https://RECEIVER.example./', method: 'GET' });
    expect(result.body.toString()).toBe('receiver.example');
    expect(recorded).toEqual({
      addresses: [['8.8.8.8', '8.8.4.4', '2606:4700::1']],
      servernames: ['receiver.example'],
    });
    const failure = await failureOf(outbound.request({ url: 'https://other.example/', method: 'GET' }));
    expect(failure.kind).toBe('tls');
    expect(recorded.servernames.at(-1)).toBe('other.example');
  });

  it('a second address is tried when the first does not answer', async () => {
    const receiver = await closeAfterTest(startHttpsReceiver((_request, response) => response.end('second')));
    const outbound = await client({ resolve: async () => ['127.0.0.99', '127.0.0.1'] });
    const result = await outbound.request({ url: `https://receiver.example:${receiver.port}/`, method: 'GET' });
    expect(result.body.toString()).toBe('second');
  });
});

describe('redirects and proxies', () => {
  let canary: Canary;
  beforeAll(async () => {
    canary = await startCanary();
  });
  afterAll(() => canary.close());

  it.each([301, 302, 303, 307, 308, 300, 305])('%s is a response and is never followed', async (status) => {
    const location = `https://127.0.0.1:${canary.httpsPort}/`;
    const receiver = await closeAfterTest(
      startHttpsReceiver((_request, response) =>
        response.writeHead(status, { location, refresh: `0;${location}` }).end(),
      ),
    );
    const outbound = await client();
    for (const method of ['GET', 'POST'] as const) {
      const result = await outbound.request({ url: `https://127.0.0.1:${receiver.port}/`, method });
      expect([result.status, result.headers.location]).toEqual([status, location]);
    }
    expect(canary.connectionCount()).toBe(0);
  });

  it('proxies of the environment are ignored', async () => {
    const names = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy', 'ALL_PROXY', 'NODE_USE_ENV_PROXY'];
    const before = names.map((name) => process.env[name]);
    for (const name of names) process.env[name] = `http://127.0.0.1:${canary.httpPort}`;
    try {
      const receiver = await closeAfterTest(startHttpsReceiver((_request, response) => response.end('direct')));
      const outbound = await client();
      const result = await outbound.request({ url: `https://127.0.0.1:${receiver.port}/`, method: 'GET' });
      expect(result.body.toString()).toBe('direct');
      expect(canary.connectionCount()).toBe(0);
    } finally {
      for (const [at, name] of names.entries()) {
        const value = before[at];
        if (value === undefined) delete process.env[name];
        else process.env[name] = value;
      }
    }
  });
});

describe('certificates', () => {
  it('an untrusted one is accepted only with allowInsecureTargets', async () => {
    const receiver = await closeAfterTest(startHttpsReceiver((_request, response) => response.end('ok')));
    const url = `https://receiver.example:${receiver.port}/`;
    const insecure = await client({ resolve: async () => ['127.0.0.1'] });
    expect((await insecure.request({ url, method: 'GET' })).status).toBe(200);
    redirectConnections(receiver.port, false);
    const strict = await client({ allowInsecureTargets: false, resolve: async () => ['8.8.8.8'] });
    const failure = await failureOf(strict.request({ url, method: 'GET' }));
    expect(failure.kind).toBe('tls');
    expect(failure.publicMessage).toMatch(/certificate/);
  });

  it('plain http behind https:// is a TLS failure', async () => {
    const plain = await closeAfterTest(
      startTcpReceiver((socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok')),
    );
    const outbound = await client();
    const failure = await failureOf(outbound.request({ url: `https://127.0.0.1:${plain.port}/`, method: 'GET' }));
    expect(failure.kind).toBe('tls');
  });
});

describe('requests and responses', () => {
  it('bytes, headers, path and query are sent as given; compression is neither requested nor decoded', async () => {
    const recorded: unknown[] = [];
    const receiver = await closeAfterTest(
      startHttpsReceiver((request, response, body) => {
        const { host, 'x-sign': sign, 'accept-encoding': encoding, 'user-agent': agent } = request.headers;
        recorded.push([
          request.method,
          request.url,
          host,
          sign,
          encoding,
          agent,
          request.headers['content-length'],
          body,
        ]);
        response.writeHead(201, { 'Content-Encoding': 'gzip', 'X-Many': ['a', 'b'], __proto__: 'x' });
        response.end('not really gzip');
      }),
    );
    const outbound = await client();
    const url = `https://localhost:${receiver.port}/a/b%20c?d=%C3%A9&e#fragment`;
    const headers = Object.freeze({ 'X-Sign': 't=1' }); // The headers of the caller, which the client must not change.
    const sent = { url, method: 'POST', body: Buffer.from('{"é":1}'), headers } as const;
    const result = await outbound.request(sent);
    const host = `localhost:${receiver.port}`;
    expect(recorded).toEqual([['POST', '/a/b%20c?d=%C3%A9&e', host, 't=1', 'identity', 'Everyshare', '8', '{"é":1}']]);
    expect(result).toMatchObject({ status: 201, truncated: false, body: Buffer.from('not really gzip') });
    expect(result.headers).toMatchObject({ 'content-encoding': 'gzip', 'x-many': 'a, b' });
    expect(result.durationMs).toBeGreaterThan(0);
  });

  it.each(['host', 'Host', 'Transfer-Encoding', 'connection', 'Content-Length', 'accept-encoding'])(
    'the caller cannot set the header %s',
    async (name) => {
      const outbound = await client();
      const request = outbound.request({ url: 'https://127.0.0.1:9/', method: 'GET', headers: { [name]: 'x' } });
      await expect(request).rejects.toThrow(TypeError);
    },
  );

  it('connections are reused, and the pools are limited', async () => {
    const ports = new Set<number | undefined>();
    const receiver = await closeAfterTest(
      startHttpsReceiver((request, response) => {
        ports.add(request.socket.remotePort);
        response.end('ok');
      }),
    );
    const outbound = await client({ maxOrigins: 3, resolve: async () => ['127.0.0.1'] });
    for (let round = 0; round < 5; round++)
      await outbound.request({ url: `https://127.0.0.1:${receiver.port}/`, method: 'POST', body: 'x' });
    expect(ports.size).toBeLessThanOrEqual(2);
    const all = Array.from({ length: 20 }, (_, at) =>
      outbound.request({ url: `https://host${at}.example:${receiver.port}/`, method: 'GET' }),
    );
    expect((await Promise.all(all)).every(({ status }) => status === 200)).toBe(true);
  });

  it('the least recently used pool is closed first', async () => {
    const bounds = { maxOrigins: 2, connectionsPerOrigin: 1, connectMs: 100 };
    const pools = await closeAfterTest(new Pools({ allowInsecureTargets: false, ...bounds }));
    await pools.load();
    const a = pools.for('https://a.example', ['8.8.8.8', '8.8.4.4']);
    const b = pools.for('https://b.example', ['8.8.8.8']);
    expect(pools.for('https://a.example', ['8.8.4.4', '8.8.8.8'])).toBe(a);
    expect(pools.for('https://a.example', ['8.8.4.4'])).not.toBe(a);
    expect([pools.size, a.closed, b.closed]).toEqual([2, false, true]);
  });

  it('close() finishes running requests, and refuses later ones', async () => {
    let arrived = (): void => undefined;
    const hasArrived = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    const receiver = await closeAfterTest(
      startHttpsReceiver((_request, response) => {
        arrived();
        setTimeout(() => response.end('ok'), 100);
      }),
    );
    const outbound = await client();
    const url = `https://127.0.0.1:${receiver.port}/`;
    const running = outbound.request({ url, method: 'GET' });
    await hasArrived;
    await outbound.close();
    expect((await running).status).toBe(200);
    expect((await failureOf(outbound.request({ url, method: 'GET' }))).kind).toBe('closed');
  });

  it('a first request that close() overtakes is refused, and opens no connection', async () => {
    const outbound = await client();
    const failure = failureOf(outbound.request({ url: 'https://127.0.0.1:9999/', method: 'GET' }));
    await outbound.close();
    expect((await failure).kind).toBe('closed');
  });
});

describe('limits of size', () => {
  const big = 'x'.repeat(100_000);
  let receiver: Listening;
  beforeAll(async () => {
    receiver = await startHttpsReceiver((request, response) => {
      if (request.url === '/endless') {
        const more = setInterval(() => response.write(big), 1);
        response.on('close', () => clearInterval(more));
      } else if (request.url === '/chunked') {
        response.write(big);
        response.end(big);
      } else response.end(request.url === '/exact' ? 'x'.repeat(1000) : big);
    });
  });
  afterAll(() => receiver.close());

  it.each(['/announced', '/chunked', '/endless'])(
    '%s: too_large, or the first bytes when the caller wants them',
    async (path) => {
      const outbound = await client();
      const wanted = { url: `https://127.0.0.1:${receiver.port}${path}`, method: 'GET', maxBytes: 1000 } as const;
      expect((await failureOf(outbound.request(wanted))).kind).toBe('too_large');
      const response = await outbound.request({ ...wanted, truncate: true });
      expect(response).toMatchObject({ status: 200, truncated: true, body: Buffer.from('x'.repeat(1000)) });
    },
  );

  it('a body of exactly the limit is complete', async () => {
    const outbound = await client();
    const url = `https://127.0.0.1:${receiver.port}/exact`;
    const response = await outbound.request({ url, method: 'GET', maxBytes: 1000 });
    expect([response.truncated, response.body.length]).toEqual([false, 1000]);
  });

  it('endless headers are too large', async () => {
    const endless = await closeAfterTest(
      startTlsReceiver((socket) => {
        socket.write('HTTP/1.1 200 OK\r\n');
        const more = setInterval(() => socket.write(`x-more: ${'y'.repeat(5000)}\r\n`), 1);
        socket.on('close', () => clearInterval(more));
      }),
    );
    const outbound = await client();
    const failure = await failureOf(outbound.request({ url: `https://127.0.0.1:${endless.port}/`, method: 'GET' }));
    expect(failure.kind).toBe('too_large');
  });
});

describe('limits of time', { tags: ['slow'] }, () => {
  const slow: Readonly<Record<string, () => Promise<Listening>>> = {
    'headers that never come': () => startHttpsReceiver(() => {}),
    'headers that drip': () =>
      startTlsReceiver((socket) => {
        socket.write('HTTP/1.1 200 OK\r\n');
        const drip = setInterval(() => socket.write('x: y\r\n'), 20);
        socket.on('close', () => clearInterval(drip));
      }),
    'a body that drips': () =>
      startHttpsReceiver((_request, response) => {
        const drip = setInterval(() => response.write('.'), 20);
        response.on('close', () => clearInterval(drip));
      }),
    'interim answers without end': () =>
      startTlsReceiver((socket) => {
        const drip = setInterval(() => socket.write('HTTP/1.1 103 Early Hints\r\n\r\n'), 20);
        socket.on('close', () => clearInterval(drip));
      }),
    'a handshake that never comes': () => startTcpReceiver(() => {}),
  };

  it.each(Object.keys(slow))('%s: ended at the deadline', async (name) => {
    const receiver = await closeAfterTest((slow[name] as () => Promise<Listening>)());
    const outbound = await client({ connectMs: 1000 });
    const started = performance.now();
    const wanted = { url: `https://127.0.0.1:${receiver.port}/`, method: 'POST', timeoutMs: 300 } as const;
    expect((await failureOf(outbound.request(wanted))).kind).toBe('timeout');
    expect(performance.now() - started).toBeGreaterThanOrEqual(290);
    expect(performance.now() - started).toBeLessThan(30_000);
  });

  it('headers have their own deadline', async () => {
    const receiver = await closeAfterTest(startHttpsReceiver(() => {}));
    const outbound = await client({ headersMs: 200, totalMs: 30_000 });
    const failure = await failureOf(outbound.request({ url: `https://127.0.0.1:${receiver.port}/`, method: 'GET' }));
    expect(failure.kind).toBe('timeout');
  });

  it('a name server that never answers is a dns failure, or the deadline if it is earlier', async () => {
    const outbound = await client({ dnsMs: 200, resolve: () => new Promise(() => {}) });
    const url = 'https://slow.example/';
    expect((await failureOf(outbound.request({ url, method: 'GET' }))).kind).toBe('dns');
    expect((await failureOf(outbound.request({ url, method: 'GET', timeoutMs: 50 }))).kind).toBe('timeout');
    expect(await outbound.refusal(url)).toBeNull();
  });

  it('nothing is sent once the deadline has passed', async () => {
    let requests = 0;
    const receiver = await closeAfterTest(
      startHttpsReceiver((_request, response) => {
        requests += 1;
        response.end();
      }),
    );
    const late = await closeAfterTest(
      startTcpReceiver((socket) => {
        const onward = connectToPort(receiver.port);
        setTimeout(() => socket.pipe(onward).pipe(socket), 400);
      }),
    );
    const outbound = await client();
    const wanted = { url: `https://127.0.0.1:${late.port}/`, method: 'POST', body: 'x' } as const;
    expect((await failureOf(outbound.request({ ...wanted, timeoutMs: 150 }))).kind).toBe('timeout');
    await new Promise((done) => setTimeout(done, 800));
    expect(requests).toBe(0);
    expect((await outbound.request(wanted)).status).toBe(200);
    expect(requests).toBe(1);
  });
});

describe('broken responses', () => {
  const broken: Readonly<Record<string, string>> = {
    'no HTTP at all': 'SSH-2.0-OpenSSH_9.6\r\n',
    'binary rubbish': '\x00\x01\x02\xff\xfe rubbish \r\n\r\n',
    'two lengths': 'HTTP/1.1 200 OK\r\ncontent-length: 5\r\ncontent-length: 6\r\n\r\nhello',
    'length and chunks':
      'HTTP/1.1 200 OK\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n',
    'a broken chunk': 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\nhello',
    'a header with NUL': 'HTTP/1.1 200 OK\r\nx: a\x00b\r\ncontent-length: 0\r\n\r\n',
    'a status of letters': 'HTTP/1.1 abc OK\r\n\r\n',
  };

  it.each(Object.keys(broken))('%s: protocol', async (name) => {
    const receiver = await closeAfterTest(
      startTlsReceiver((socket) => void socket.end(Buffer.from(broken[name] ?? '', 'latin1'))),
    );
    const outbound = await client();
    const failure = await failureOf(outbound.request({ url: `https://127.0.0.1:${receiver.port}/`, method: 'GET' }));
    expect(failure.kind).toBe('protocol');
  });

  const cut: Readonly<Record<string, string>> = {
    'before the answer': '',
    'in the headers': 'HTTP/1.1 200 OK\r\nx-a',
    'in the body': 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf',
    'an unrequested upgrade': 'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n',
  };
  it.each(Object.keys(cut))('connection cut %s: interrupted', async (name) => {
    const receiver = await closeAfterTest(
      startTlsReceiver((socket) => socket.end(cut[name] ?? '', () => socket.destroy())),
    );
    const outbound = await client();
    const failure = await failureOf(outbound.request({ url: `https://127.0.0.1:${receiver.port}/`, method: 'POST' }));
    expect(failure.kind).toMatch(/interrupted|protocol/);
  });

  it('a reset, a closed port and a cut handshake have their kinds', async () => {
    const outbound = await client();
    const reset = await closeAfterTest(startTlsReceiver((socket) => socket.destroy()));
    const cutOff = await closeAfterTest(
      startTcpReceiver((socket) => void socket.once('data', () => socket.resetAndDestroy())),
    );
    const closed = await startTcpReceiver(() => {});
    await closed.close();
    const kind = async (port: number): Promise<string> =>
      (await failureOf(outbound.request({ url: `https://127.0.0.1:${port}/`, method: 'GET' }))).kind;
    expect([await kind(reset.port), await kind(cutOff.port), await kind(closed.port)]).toEqual([
      'interrupted',
      'connect',
      'connect',
    ]);
  });

  it('an unknown name and one of a private address have the same message', async () => {
    const closed = await client({
      allowInsecureTargets: false,
      resolve: () => Promise.reject(new Error('ENOTFOUND x')),
    });
    const inside = await client({ allowInsecureTargets: false, resolve: async () => ['10.1.2.3'] });
    const empty = await client({ allowInsecureTargets: false, resolve: async () => [] });
    const refusal = async (outbound: Outbound): Promise<string> =>
      (await failureOf(outbound.request({ url: 'https://x.example/', method: 'GET' }))).publicMessage;
    expect(new Set([await refusal(closed), await refusal(inside), await refusal(empty)]).size).toBe(1);
  });
});
