// `npm run conformance`: the official conformance package's server scenarios against the real program. The package is fetched by
// npx at a pinned version, and so is a newer Node where ours is too old for it: neither belongs into everybody's install. A small
// proxy on this machine adds the bearer key, which the package cannot send. Scenarios that do not fit are named with the reason.

import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startProgram } from '../support/run-program.ts';

const PACKAGE = '@modelcontextprotocol/conformance@0.1.16';
const NODE = '22.23.3';
const LEAST_NODE = 22;

/** The whole protocol as a server without the package's own test tools has it. */
const FITTING = [
  'server-initialize',
  'ping',
  'completion-complete',
  'tools-list',
  'resources-list',
  'prompts-list',
  'server-sse-multiple-streams',
  'server-sse-polling',
  'dns-rebinding-protection',
];

const NEEDS_FIXTURE = 'asks for a tool, resource or prompt of the package’s own, by name';
const NOT_OURS = 'tests a feature that this server does not have and does not announce';
const STREAMS = 'needs a stream; every answer here is one JSON document';

const UNFITTING: Readonly<Record<string, string>> = {
  'tools-call-simple-text': NEEDS_FIXTURE,
  'tools-call-image': NEEDS_FIXTURE,
  'tools-call-audio': NEEDS_FIXTURE,
  'tools-call-embedded-resource': NEEDS_FIXTURE,
  'tools-call-mixed-content': NEEDS_FIXTURE,
  'tools-call-error': NEEDS_FIXTURE,
  'json-schema-2020-12': NEEDS_FIXTURE,
  'resources-read-text': NEEDS_FIXTURE,
  'resources-read-binary': NEEDS_FIXTURE,
  'resources-templates-read': NEEDS_FIXTURE,
  'prompts-get-simple': NEEDS_FIXTURE,
  'prompts-get-with-args': NEEDS_FIXTURE,
  'prompts-get-embedded-resource': NEEDS_FIXTURE,
  'prompts-get-with-image': NEEDS_FIXTURE,
  'logging-set-level': NOT_OURS,
  'resources-subscribe': NOT_OURS,
  'resources-unsubscribe': NOT_OURS,
  'tools-call-sampling': NOT_OURS,
  'tools-call-elicitation': NOT_OURS,
  'elicitation-sep1034-defaults': NOT_OURS,
  'elicitation-sep1330-enums': NOT_OURS,
  'tools-call-with-logging': STREAMS,
  'tools-call-with-progress': STREAMS,
};

/** Everything as it comes, with the key; its own name, as Host and Origin, is the server's, as behind any proxy. */
async function openProxy(to: string, key: string): Promise<Server> {
  const { hostname, port } = new URL(to);
  const proxy = createServer((incoming, outgoing) => {
    const { method, url, headers } = incoming;
    const own = `localhost:${(proxy.address() as AddressInfo).port}`;
    const names = Object.entries({ host: headers.host, origin: headers.origin }).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value.replace(own, `${hostname}:${port}`)]],
    );
    const renamed = Object.fromEntries(names) as Record<string, string>;
    const asked = request(
      { hostname, port, method, path: url, headers: { ...headers, ...renamed, authorization: `Bearer ${key}` } },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
      },
    );
    asked.on('error', (error) => outgoing.destroy(error));
    incoming.pipe(asked);
  });
  await new Promise<void>((resolve) => {
    proxy.listen(0, '127.0.0.1', resolve);
  });
  return proxy;
}

function run(scenario: string, url: string): Promise<{ code: number | null; out: string }> {
  const major = Number(process.versions.node.split('.')[0]);
  const newer = major < LEAST_NODE ? [`--package=node-${process.platform}-${process.arch}@${NODE}`] : [];
  const words = ['exec', '--yes', `--package=${PACKAGE}`, ...newer, '--', 'conformance', 'server'];
  const child = spawn('npm', [...words, '--url', url, '--scenario', scenario], { stdio: ['ignore', 'pipe', 'pipe'] });
  let out = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      out += chunk;
    });
  return new Promise((resolve) => {
    child.on('close', (code) => resolve({ code, out }));
  });
}

async function main(asked: readonly string[]): Promise<number> {
  const dataDir = mkdtempSync(join(tmpdir(), 'everyshare-conformance-'));
  const program = await startProgram(['start'], { DATA_DIR: dataDir });
  const key = /secret key +(\S+)/.exec(program.out())?.[1] ?? '';
  const proxy = await openProxy(program.url, key);
  const url = `http://localhost:${(proxy.address() as AddressInfo).port}/mcp`;
  let failed = 0;
  try {
    for (const scenario of asked.length > 0 ? asked : FITTING) {
      const { code, out } = await run(scenario, url);
      process.stdout.write(`${code === 0 ? 'passed' : 'FAILED'}  ${scenario}\n`);
      if (code !== 0) process.stdout.write(out.replaceAll(/^/gm, '    '));
      failed += Number(code !== 0);
    }
    if (asked.length === 0)
      for (const [scenario, reason] of Object.entries(UNFITTING))
        process.stdout.write(`left out  ${scenario}: ${reason}\n`);
  } finally {
    proxy.closeAllConnections();
    proxy.close();
    await program.stop('SIGTERM');
    rmSync(dataDir, { recursive: true, force: true });
  }
  return failed === 0 ? 0 : 1;
}

process.exitCode = await main(process.argv.slice(2));
