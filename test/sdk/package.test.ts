// The built package: its size, what it needs from a runtime, that Node loads it as ESM and as CommonJS, and that its
// types compile in a partner's program of either kind.

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createContext, runInContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BUNDLE_OPTIONS, buildSdk } from '../../sdk/build.js';
import { packageRoot, packageVersion } from '../../src/base/package-root.ts';
import { readmeProgram } from './readme-program.ts';

const MAX_COMPRESSED_BYTES = 12 * 1024;
/** Imports, and the globals of Node. */
const RUNTIME_ONLY = /[}*\s]from ?['"]|require\(|import ?\(?['"]|\bprocess\.|\bBuffer\.|['"]node:/;
const sdk = join(packageRoot, 'sdk');
const readText = (name: string): string => readFileSync(join(sdk, name), 'utf8');

let folder: string;
beforeAll(async () => {
  await buildSdk();
  folder = mkdtempSync(join(tmpdir(), 'everyshare-sdk-'));
  mkdirSync(join(folder, 'node_modules/@everyshare'), { recursive: true });
  symlinkSync(sdk, join(folder, 'node_modules/@everyshare/sdk'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** The bundle without its comments. */
async function minified(format: 'esm' | 'cjs'): Promise<string> {
  const { outputFiles } = await build({ ...BUNDLE_OPTIONS, format, minify: true, write: false, outdir: folder });
  return outputFiles?.[0]?.text ?? '';
}

/** Writes a program into a folder that has the package installed, and runs it. */
function run(name: string, text: string, args: readonly string[] = []): string {
  writeFileSync(join(folder, name), text);
  return execFileSync(process.execPath, [...args, name], { cwd: folder, encoding: 'utf8' }).trim();
}

describe('the package', () => {
  it('is at most 12 KB, minified and compressed', async () => {
    const compressed = gzipSync(await minified('esm'), { level: 9 }).length;
    expect(compressed).toBeLessThan(MAX_COMPRESSED_BYTES);
    expect(compressed).toBeGreaterThan(3_000);
  });

  it('has no dependencies, and imports nothing of a single runtime', async () => {
    const {
      dependencies = {},
      peerDependencies = {},
      optionalDependencies = {},
    } = JSON.parse(readText('package.json'));
    expect({ ...dependencies, ...peerDependencies, ...optionalDependencies }).toEqual({});
    for (const format of ['esm', 'cjs'] as const) expect((await minified(format)).match(RUNTIME_ONLY)).toBeNull();
  });

  it('has the version of the service, in its package, its README and each request', () => {
    const { version } = JSON.parse(readText('package.json'));
    expect(version).toBe(packageVersion());
    expect(readText('src/defaults.gen.ts')).toContain(`VERSION = '${version}'`);
    expect(readText('README.md').match(/everyshare-sdk-[\d.]+\.tgz/g)).toEqual(
      Array(2).fill(`everyshare-sdk-${version}.tgz`),
    );
  });

  it('is packed as its README says, with the smoke test, and cannot be published by mistake', {
    tags: ['slow'],
  }, () => {
    expect(readText('README.md')).toContain('npm pack --workspace sdk ');
    const args = ['pack', '--workspace', 'sdk', '--json', '--pack-destination', folder];
    const [{ filename, files }] = JSON.parse(execFileSync('npm', args, { cwd: packageRoot, encoding: 'utf8' }));
    expect(readText('README.md')).toContain(`/${filename} `);
    const paths = files.map(({ path }: { path: string }) => path);
    expect(paths).toEqual(
      expect.arrayContaining(['README.md', 'smoke.mjs', 'dist/everyshare.js', 'dist/everyshare.cjs']),
    );
    expect(paths.filter((path: string) => !/^(README\.md|package\.json|smoke\.mjs|dist\/[\w.-]+)$/.test(path))).toEqual(
      [],
    );
    execFileSync('tar', ['-xzf', filename, '-C', folder], { cwd: folder });
    // Only the service imports it.
    expect(paths.filter((path: string) => path.includes('agent-configs'))).toEqual([]);
    const { name, private: isPrivate } = JSON.parse(readFileSync(join(folder, 'package/package.json'), 'utf8'));
    expect([name, isPrivate]).toEqual(['@everyshare/sdk', true]);
    const text = `import { Everyshare } from './package/dist/everyshare.js'; console.log(typeof Everyshare)`;
    expect(run('packed.mjs', text)).toBe('function');
  });

  it('runs as ESM and as CommonJS, with every name that it declares', () => {
    const print =
      'console.log(typeof Everyshare, typeof webhooks.constructEvent, new Everyshare({ apiKey: "x" }).me !== undefined)';
    const expected = 'function function true';
    expect(run('a.mjs', `import { Everyshare, webhooks } from '@everyshare/sdk';\n${print}`)).toBe(expected);
    expect(run('b.cjs', `const { Everyshare, webhooks } = require('@everyshare/sdk');\n${print}`)).toBe(expected);
  });

  it.each(['everyshare.js', 'everyshare.cjs'])(
    '%s signs and verifies where WebCrypto is no global, as in Node 18',
    (file) => {
      const text = `
      delete globalThis.crypto;
      const load = async () => (${file.endsWith('.cjs') ? `require(${JSON.stringify(join(sdk, 'dist', file))})` : `await import(${JSON.stringify(join(sdk, 'dist', file))})`});
      (async () => {
        const { webhooks } = await load();
        const payload = '{"id":"evt_1"}';
        const header = await webhooks.generateTestHeader({ payload, secret: 'whsec_x' });
        console.log(typeof globalThis.crypto, (await webhooks.constructEvent(payload, header, 'whsec_x')).id);
      })();`;
      expect(run('d.cjs', text)).toBe('undefined evt_1');
    },
  );

  it('has types with which an ESM program, a CommonJS program and the examples of the README compile', {
    tags: ['slow'],
    timeout: 120_000,
  }, () => {
    const program = `
export async function book(client: Everyshare): Promise<string> {
  const { data, rateLimit } = await client.checkouts.retrieve('chk_1').withResponse();
  for await (const checkout of client.checkouts.list({ status: 'open' })) if (checkout.id === data.id) break;
  const results: readonly { readonly index: number }[] = (await client.boats.upsert({ boats: [] })).results;
  return data.url + String(rateLimit?.remaining) + results.length;
}
export function receive(event: WebhookEvent): string {
  switch (event.type) {
    case 'checkout.completed':
      return event.data.object.external_booking_id;
    case 'refund.created':
      return String(event.data.refund.amount);
    case 'offering.approved':
      return event.data.object.title;
    case 'webhook_endpoint.disabled':
      return event.data.object.url;
    default:
      return event.id;
  }
}
type Missing = Exclude<WebhookEventFields['type'], WebhookEvent['type']> | Exclude<WebhookEvent['type'], WebhookEventFields['type']>;
export const everyTypeIsInTheUnion: [Missing] extends [never] ? true : false = true;
type Subscribed = Exclude<WebhookEndpoint['events'][number], SubscribableEventType> | Exclude<SubscribableEventType, WebhookEndpoint['events'][number]>;
export const everySubscribableTypeIsListed: [Subscribed] extends [never] ? true : false = true;
// @ts-expect-error an amount is a number
export const wrong: CheckoutCreate['amount'] = '100';
// @ts-expect-error there is no such status
void new Everyshare({ apiKey: 'x' }).checkouts.list({ status: 'paid' });
`;
    const types =
      'type CheckoutCreate, Everyshare, type SubscribableEventType, type WebhookEndpoint, type WebhookEvent, type WebhookEventFields';
    for (const extension of ['mts', 'cts'])
      writeFileSync(join(folder, `program.${extension}`), `import { ${types} } from '@everyshare/sdk';\n${program}`);
    const environment = 'declare const process: { readonly env: Readonly<Record<string, string | undefined>> };';
    writeFileSync(join(folder, 'readme.mts'), `${environment}\n${readmeProgram()}`);
    const options =
      '--noEmit --strict --target es2022 --module nodenext --lib es2022,dom,dom.asynciterable --skipLibCheck false';
    const args = [join(packageRoot, 'node_modules/typescript-7/bin/tsc'), ...options.split(' ')];
    const result = (() => {
      try {
        return execFileSync(process.execPath, [...args, 'program.mts', 'program.cts', 'readme.mts'], {
          cwd: folder,
          encoding: 'utf8',
        });
      } catch (error) {
        return String((error as { stdout: unknown }).stdout);
      }
    })();
    expect(result).toBe('');
  });

  it('runs where there is nothing but the interfaces of the web, as in a worker', async () => {
    const { outputFiles } = await build({
      ...{ ...BUNDLE_OPTIONS, format: 'iife', globalName: 'sdk', write: false, outdir: folder },
    });
    const answer = () => new Response('{"data":{"mode":"test"}}', { headers: { 'content-type': 'application/json' } });
    const web = {
      AbortController,
      TextDecoder,
      TextEncoder,
      URLSearchParams,
      atob,
      btoa,
      clearTimeout,
      crypto,
      setTimeout,
    };
    const context = createContext({ ...web, fetch: async () => answer(), Headers, Response });
    const program = `${outputFiles?.[0]?.text ?? ''};
      (async () => {
        const payload = '{"id":"evt_1"}';
        const secret = 'whsec_' + btoa('x'.repeat(32));
        const headers = await sdk.webhooks.generateTestHeaders({ payload, secret });
        delete headers['service-signature'];
        const event = await sdk.webhooks.constructEvent(payload, headers, secret);
        const me = await new sdk.Everyshare({ apiKey: 'svc_test_x' }).me.retrieve();
        return event.id + ' ' + me.mode;
      })()`;
    expect(await runInContext(program, context)).toBe('evt_1 test');
  });

  it('has a declaration for each source that its types name and for no other, for both kinds of module', () => {
    const built = readdirSync(join(sdk, 'dist'));
    for (const [end, module] of [
      ['.d.ts', '.js'],
      ['.d.cts', '.cjs'],
    ] as const) {
      const declared = built.filter((file) => file.endsWith(end)).map((file) => file.slice(0, -end.length));
      const texts = declared.map((name) => readText(`dist/${name}${end}`)).join('\n');
      const named = [...texts.matchAll(/'\.\/([\w.-]+?)\.c?js'/g)].map(([, name]) => name ?? '');
      expect(texts).not.toMatch(/'\.\/[\w.-]+\.ts'/);
      expect(texts.includes(`${module}'`)).toBe(true);
      expect([...new Set(['everyshare', ...named])].sort()).toEqual(declared.sort());
    }
  });
});
