// Every known spelling of an address that is not public: the client connects to none. A canary listens on every local
// address, over http and https, and must get no connection. No message for a caller contains an address.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { classifyAddress } from '../../src/base/outbound/address.ts';
import { makeOutbound } from '../../src/base/outbound/outbound.ts';
import { OutboundError } from '../../src/base/outbound/outbound-error.ts';
import { type Canary, startCanary } from '../support/test-receivers.ts';

/** Hosts of a URL. Those in the first list would reach the canary if the client connected. */
const LOOPBACK_HOSTS = [
  '127.0.0.1',
  '127.0.0.1.',
  '127.1',
  '127.0.1',
  '127.000.000.001',
  '0177.0.0.1',
  '0177.0.0.01',
  '0x7f.0.0.1',
  '0x7f.1',
  '0X7F.0x0.0x0.0x1',
  '0x7f000001',
  '0x7F000001',
  '017700000001',
  '2130706433',
  '127.0.0.2',
  '127.255.255.254',
  '127.127.127.127',
  '0x7f.0.1',
  '0177.1',
  '%31%32%37.0.0.1',
  '127。0。0。1',
  '\uff11\uff12\uff17.0.0.1',
  '127.0.0.\u00ad1',
  '①②⑦.0.0.1',
  '0',
  '0.0.0.0',
  '0.0',
  '0x0',
  '00000000',
  '0.0.0.1',
  'localhost',
  'LOCALHOST',
  'LocalHost',
  'localhost.',
  '\uff4c\uff4f\uff43\uff41\uff4c\uff48\uff4f\uff53\uff54',
  'local\u200bhost',
  'app.localhost',
  'app.localhost.',
  'localhost.localdomain',
  'ⓛⓞⓒⓐⓛⓗⓞⓢⓣ',
  '%6c%6f%63%61%6c%68%6f%73%74',
  'localhost..',
  '[::1]',
  '[0:0:0:0:0:0:0:1]',
  '[0000:0000:0000:0000:0000:0000:0000:0001]',
  '[::0.0.0.1]',
  '[::]',
  '[0:0:0:0:0:0:0:0]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[::FFFF:7F00:0001]',
  '[0:0:0:0:0:ffff:127.0.0.1]',
  '[::ffff:0.0.0.0]',
  '[::ffff:0:0]',
  '[::127.0.0.1]',
  '[::7f00:1]',
  '[::ffff:0:127.0.0.1]',
  '[64:ff9b::127.0.0.1]',
  '[64:ff9b::7f00:1]',
  '[64:ff9b:1::7f00:1]',
  '[2002:7f00:1::]',
  '[2002:7f00:0001::1]',
  '[2001:0:4136:e378:8000:63bf:80ff:fffe]',
];

const PRIVATE_HOSTS = [
  '10.0.0.1',
  '10.255.255.255',
  '012.0.0.1',
  '0xa.0.0.1',
  '167772161',
  '172.16.0.1',
  '172.31.255.255',
  '0xac100001',
  '192.168.0.1',
  '192.168.1',
  '0xc0a80001',
  '3232235521',
  '169.254.169.254',
  '168.63.129.16',
  '169.254.43518',
  '0xa9fea9fe',
  '2852039166',
  '0251.0376.0251.0376',
  '169.254.0.1',
  '100.64.0.1',
  '100.100.100.200',
  '100.127.255.255',
  '192.0.0.1',
  '192.0.0.192',
  '192.0.2.1',
  '192.88.99.1',
  '192.175.48.1',
  '198.18.0.1',
  '198.19.255.255',
  '198.51.100.7',
  '203.0.113.7',
  '224.0.0.1',
  '239.255.255.250',
  '240.0.0.1',
  '255.255.255.255',
  '0xffffffff',
  '4294967295',
  '[::ffff:10.0.0.1]',
  '[::ffff:169.254.169.254]',
  '[::ffff:a9fe:a9fe]',
  '[::ffff:8.8.8.8]',
  '[::10.0.0.1]',
  '[64:ff9b::10.0.0.1]',
  '[64:ff9b::a9fe:a9fe]',
  '[64:ff9b::8.8.8.8]',
  '[64:ff9b:1::a00:1]',
  '[2002:a00:1::]',
  '[2002:a9fe:a9fe::]',
  '[2002:808:808::]',
  '[2001::1]',
  '[2001:2::1]',
  '[2001:10::1]',
  '[2001:20::1]',
  '[2001:db8::1]',
  '[3fff::1]',
  '[3ffe::1]',
  '[100::1]',
  '[5f00::1]',
  '[4000::1]',
  '[8000::1]',
  '[fc00::1]',
  '[fd00:ec2::254]',
  '[fdff:ffff::1]',
  '[fe80::1]',
  '[febf::1]',
  '[fec0::1]',
  '[feff::1]',
  '[ff02::1]',
  '[ff0e::1]',
  '[2a00:1450::5efe:10.0.0.1]',
  '[2a00:1450::200:5efe:7f00:1]',
  'metadata.google.internal',
  'metadata.google.internal.',
  'printer.local',
  'router.home.arpa',
  'intranet',
  'intranet.',
  'kubernetes',
];

/** URLs around a host, `H`, and the canary's port, `P`. */
const SHAPES = [
  'http://H:P/',
  'HTTP://H:P/',
  'ftp://H:P/',
  'file:///etc/passwd',
  'gopher://H:P/_GET',
  'data:text/plain,x',
  '//H:P/',
  'https:H:P/',
  'https:/H:P/',
  'https:\\\\H:P/',
  'https:///H:P/',
  ' https://H:P/',
  'https://H:P/ ',
  'ht\ntps://H:P/',
  'https://H\t:P/',
  'https://user@H:P/',
  'https://user:word@H:P/',
  'https://example.com@H:P/',
  'https://example.com%00@H:P/',
  'https://H:P\\@example.com/',
  'https://H:P#@example.com/',
  'https://H:22/',
  'https://H:80/',
  'https://H:0/',
  'https://H:65536/',
  'https://[H]:P/',
  'https://[::1%25lo]:P/',
  '',
];

const hosts = [...LOOPBACK_HOSTS, ...PRIVATE_HOSTS];

describe('addresses that are not public are refused', () => {
  let canary: Canary;
  beforeAll(async () => {
    canary = await startCanary();
  });
  afterAll(() => canary.close());

  const outbound = makeOutbound({
    allowInsecureTargets: false,
    resolve: async (host) => {
      throw new Error(`no lookup is expected for ${host}`);
    },
  });
  afterAll(() => outbound.close());

  async function mustBeRefused(url: string): Promise<void> {
    const refusal = await outbound.refusal(url);
    expect(refusal, url).toMatch(/^[A-Z][^\d]*(\d{3,4}[^\d]*)*\.$/);
    expect(refusal).not.toMatch(/\d+\.\d+|::|private|loopback|internal|resolve/i);
    for (const method of ['GET', 'POST'] as const) {
      const failure = await outbound.request({ url, method }).catch((error: unknown) => error);
      expect(failure, url).toBeInstanceOf(OutboundError);
      expect((failure as OutboundError).kind, url).toBe('refused');
      expect((failure as OutboundError).publicMessage).toBe(refusal);
    }
  }

  it('the list has at least 130 different spellings', () => {
    expect(new Set(hosts).size).toBe(hosts.length);
    expect(hosts.length).toBeGreaterThanOrEqual(130);
  });

  it.each(hosts)('%s', async (host) => {
    await mustBeRefused(`https://${host}:${canary.httpsPort}/`);
    await mustBeRefused(`https://${host}/`);
    await mustBeRefused(`http://${host}:${canary.httpPort}/`);
    expect(canary.connectionCount()).toBe(0);
  });

  it.each(SHAPES)('%j', async (shape) => {
    for (const host of ['127.0.0.1', 'localhost', '[::1]'])
      for (const port of [canary.httpPort, canary.httpsPort])
        await mustBeRefused(shape.replaceAll('H', host).replaceAll('P', String(port)));
    expect(canary.connectionCount()).toBe(0);
  });

  it('also behind a name, as a resolver returns them', async () => {
    const literals = [...new Set(hosts.map((host) => canonicalAddress(host)).filter((address) => address !== null))];
    expect(literals.length).toBeGreaterThan(70);
    for (const address of [...literals, 'fe80::1%lo', '0177.0.0.1', '2130706433', 'localhost', '', '1.2.3']) {
      const client = makeOutbound({ allowInsecureTargets: false, resolve: async () => [address] });
      const url = `https://public.example:${canary.httpsPort}/`;
      expect(await client.refusal(url), address).toBe('The host name does not lead to a public address.');
      await expect(client.request({ url, method: 'GET' }), address).rejects.toMatchObject({ kind: 'refused' });
      await client.close();
    }
    expect(canary.connectionCount()).toBe(0);
  });

  it('the canary counts a connection', async () => {
    const insecure = makeOutbound({ allowInsecureTargets: true });
    const response = await insecure.request({ url: `https://127.0.0.1:${canary.httpsPort}/`, method: 'GET' });
    expect(response.status).toBe(200);
    expect(canary.connectionCount()).toBe(1);
    await insecure.close();
  });
});

describe('public addresses', () => {
  it.each(['8.8.8.8', '1.1.1.1', '93.184.216.34', '172.15.255.255', '172.32.0.1', '100.63.255.255', '100.128.0.1'])(
    '%s is public',
    (address) => expect(classifyAddress(address)).toBe('public'),
  );
  it.each(['2606:4700:4700::1111', '2a00:1450:4001:80b::200e', '2001:4860:4860::8888', '2400:cb00::1'])(
    '%s is public',
    (address) => expect(classifyAddress(address)).toBe('public'),
  );

  it('allowInsecureTargets adds only loopback, and never http', async () => {
    const insecure = makeOutbound({ allowInsecureTargets: true });
    for (const host of ['127.0.0.1', 'localhost', 'LOCALHOST.', '[::1]', '127.9.9.9', '0x7f.1', 'app.localhost'])
      expect(await insecure.refusal(`https://${host}:8443/`), host).toBeNull();
    for (const host of [
      '10.0.0.1',
      '0.0.0.0',
      '[::]',
      '[::ffff:127.0.0.1]',
      '169.254.169.254',
      '[fd00::1]',
      'intranet',
    ])
      expect(await insecure.refusal(`https://${host}:8443/`), host).not.toBeNull();
    for (const host of ['127.0.0.1', 'localhost', '[::1]', 'example.com'])
      expect(await insecure.refusal(`http://${host}:8443/`), host).not.toBeNull();
    await insecure.close();
  });

  it('a public name is accepted in any spelling, and one that does not resolve is not refused yet', async () => {
    const lookups: string[] = [];
    const outbound = makeOutbound({
      allowInsecureTargets: false,
      resolve: async (host) => {
        lookups.push(host);
        if (host === 'gone.example')
          throw Object.assign(new Error('queryA ENOTFOUND gone.example'), { code: 'ENOTFOUND' });
        return ['8.8.8.8', '2001:4860:4860::8888'];
      },
    });
    for (const url of [
      'https://Example.COM./x?y=1#z',
      'https://bücher.example/',
      'https://a.example:8443/',
      'https://gone.example',
    ])
      expect(await outbound.refusal(url), url).toBeNull();
    expect(lookups).toEqual(['example.com', 'xn--bcher-kva.example', 'a.example', 'gone.example']);
    await outbound.close();
  });
});

function canonicalAddress(host: string): string | null {
  try {
    const { hostname } = new URL(`https://${host}/`);
    return /^[\d.]+$/.test(hostname) ? hostname : (/^\[(.+)\]$/.exec(hostname)?.[1] ?? null);
  } catch {
    return null;
  }
}
