// `npm run conformance`: the server scenarios of the official conformance package against the real program. npx fetches
// the package at a pinned version, and a newer Node.js where ours is too old, so that neither is a dependency. A local
// proxy adds the bearer key, which the package cannot send. Skipped scenarios are listed with their reason.

import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startProgram } from '../support/run-program.ts';
import { withDeadline } from '../support/wait-for.ts';

const PACKAGE = '@modelcontextprotocol/conformance@0.1.16';
const NODE = '22.23.3';
const MIN_NODE = 22;
/** npx may have to fetch the package and a Node.js. */
const MAX_SCENARIO_MS = 300_000;

/** The scenarios that need no test tools of the package. */
const SCENARIOS = [
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

const NEEDS_FIXTURE = 'needs a tool, resource or prompt of the package itself';
const NOT_SUPPORTED = 'tests a feature that this server does not have and does not announce';
const STREAMS = 'needs a stream; every answer of this server is one JSON document';

const SKIPPED_SCENARIOS: Readonly<Record<string, string>> = {
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
  'logging-set-level': NOT_SUPPORTED,
  'resources-subscribe': NOT_SUPPORTED,
  'resources-unsubscribe': NOT_SUPPORTED,
  'tools-call-sampling': NOT_SUPPORTED,
  'tools-call-elicitation': NOT_SUPPORTED,
  'elicitation-sep1034-defaults': NOT_SUPPORTED,
  'elicitation-sep1330-enums': NOT_SUPPORTED,
  'tools-call-with-logging': STREAMS,
  'tools-call-with-progress': STREAMS,
};

/** Forwards every request with the key, and replaces its own name in Host and Origin with the server's. */
async function openProxy(target: string, key: string): Promise<Server> {
  const { hostname, port } = new URL(target);
  const proxy = createServer((incoming, outgoing) => {
    const { method, url, headers } = incoming;
    const proxyHost = `localhost:${(proxy.address() as AddressInfo).port}`;
    const names = Object.entries({ host: headers.host, origin: headers.origin }).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value.replace(proxyHost, `${hostname}:${port}`)]],
    );
    const replaced = Object.fromEntries(names) as Record<string, string>;
    const forwarded = request(
      { hostname, port, method, path: url, headers: { ...headers, ...replaced, authorization: `Bearer ${key}` } },
      (response) => {
        outgoing.writeHead(response.statusCode ?? 502, response.headers);
        response.pipe(outgoing);
      },
    );
    forwarded.on('error', (error) => outgoing.destroy(error));
    incoming.pipe(forwarded);
  });
  await new Promise<void>((resolve) => {
    proxy.listen(0, '127.0.0.1', resolve);
  });
  return proxy;
}

function run(scenario: string, url: string): Promise<{ code: number | null; out: string }> {
  const major = Number(process.versions.node.split('.')[0]);
  const newer = major < MIN_NODE ? [`--package=node-${process.platform}-${process.arch}@${NODE}`] : [];
  const args = ['exec', '--yes', `--package=${PACKAGE}`, ...newer, '--', 'conformance', 'server'];
  const child = spawn('npm', [...args, '--url', url, '--scenario', scenario], { stdio: ['ignore', 'pipe', 'pipe'] });
  let out = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      out += chunk;
    });
  const ended = new Promise<{ code: number | null; out: string }>((resolve) => {
    child.on('close', (code) => resolve({ code, out }));
  });
  return withDeadline(`the scenario ${scenario} ends`, ended, MAX_SCENARIO_MS, () => child.kill('SIGKILL'));
}

async function main(forwarded: readonly string[]): Promise<number> {
  const dataDir = mkdtempSync(join(tmpdir(), 'everyshare-conformance-'));
  const program = await startProgram(['start'], { DATA_DIR: dataDir });
  const key = /secret key +(\S+)/.exec(program.out())?.[1] ?? '';
  const proxy = await openProxy(program.url, key);
  const url = `http://localhost:${(proxy.address() as AddressInfo).port}/mcp`;
  let failed = 0;
  try {
    for (const scenario of forwarded.length > 0 ? forwarded : SCENARIOS) {
      const { code, out } = await run(scenario, url);
      process.stdout.write(`${code === 0 ? 'passed' : 'FAILED'}  ${scenario}\n`);
      if (code !== 0) process.stdout.write(out.replaceAll(/^/gm, '    '));
      failed += Number(code !== 0);
    }
    if (forwarded.length === 0)
      for (const [scenario, reason] of Object.entries(SKIPPED_SCENARIOS))
        process.stdout.write(`skipped  ${scenario}: ${reason}\n`);
  } finally {
    proxy.closeAllConnections();
    proxy.close();
    await program.stop('SIGTERM');
    rmSync(dataDir, { recursive: true, force: true });
  }
  return failed === 0 ? 0 : 1;
}

process.exitCode = await main(process.argv.slice(2));
