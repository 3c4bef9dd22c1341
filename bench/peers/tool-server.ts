// The official MCP SDK's server against ours: the same list of tools, and one call of a tool. Ours also finds the key,
// counts the call, checks the arguments and reads the checkout; the peer returns the same result from memory.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Bench, PreparedBench } from '../bench.ts';
import { createOnce, newBody } from '../create-load.ts';
import type { BenchFixture } from '../fixture.ts';
import { type LoadJob, requestText } from '../load.ts';
import { PEERS_FOLDER } from './packages.ts';

const CONNECTIONS = 48;
const PATH = '/mcp';

export const toolList = toolBench('tools-list-and-mcp-sdk', async () => ({ method: 'tools/list', params: {} }));

export const toolCall = toolBench('tool-call-and-mcp-sdk', async (port, key) => {
  const { id } = await createOnce(port, key, newBody(6));
  return { method: 'tools/call', params: { name: 'get_checkout', arguments: { id } } };
});

type MakeCall = (port: number, key: string) => Promise<{ readonly method: string; readonly params: object }>;

function toolBench(name: string, makeCall: MakeCall): Bench {
  return {
    name,
    floor: 0,
    goal: 1,
    unit: 'requests/s',
    better: 'more',
    note: `POST ${PATH} with one key over ${CONNECTIONS} connections; the peer has no session and answers with JSON, as ours does.`,
    rounds: { full: 7, quick: 1 },
    sides: { ours: 'our tool server', base: 'the server of the official SDK' },
    prepare: (fixture) => prepare(fixture, makeCall),
  };
}

async function prepare(fixture: BenchFixture, makeCall: MakeCall): Promise<PreparedBench> {
  const { keys } = await fixture.makeVenue(1);
  const key = keys[0] ?? '';
  const ours = await fixture.getServer();
  const call = await makeCall(ours.port, key);
  const list = await resultOf(ours.port, key, { method: 'tools/list', params: {} });
  const called = await resultOf(ours.port, key, call);
  const folder = mkdtempSync(join(tmpdir(), 'everyshare-bench-tools-'));
  writeFileSync(join(folder, 'results.json'), JSON.stringify({ 'tools/list': list, 'tools/call': called }));
  const peer = await fixture.startScript(
    join(PEERS_FOLDER, 'mcp-process.js'),
    { RESULTS: join(folder, 'results.json') },
    '/readyz',
  );
  const ofPeer = await resultOf(peer.port, key, call);
  if (JSON.stringify(ofPeer).length < JSON.stringify(called).length / 2)
    throw new Error(`the two sides return different results: ${JSON.stringify(ofPeer).slice(0, 300)}`);
  const request = requestText('POST', PATH, { authorization: `Bearer ${key}`, ...HEADERS }, bodyOf(call));
  const job = { requests: [request], connections: CONNECTIONS, status: 200, bodyBytes: null } as const;
  const side = async (port: number): Promise<() => Promise<number>> => {
    const sideJob: Omit<LoadJob, 'count'> = { ...job, port };
    const count = await fixture.load.calibrate(sideJob, fixture.seconds.warmAlone, fixture.seconds.round);
    return () => fixture.load.send({ ...sideJob, count });
  };
  const [oursRound, peerRound] = [await side(ours.port), await side(peer.port)];
  return {
    ours: oursRound,
    base: peerRound,
    async close() {
      await peer.stop();
      await ours.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const HEADERS = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
  'mcp-protocol-version': '2025-11-25',
};

type Call = Awaited<ReturnType<MakeCall>>;

const bodyOf = (call: Call): string => JSON.stringify({ jsonrpc: '2.0', id: 1, ...call });

async function resultOf(port: number, key: string, call: Call): Promise<unknown> {
  const response = await fetch(`http://127.0.0.1:${port}${PATH}`, {
    method: 'POST',
    headers: { ...HEADERS, authorization: `Bearer ${key}` },
    body: bodyOf(call),
  });
  const answer = (await response.json()) as { readonly result?: unknown };
  if (response.status !== 200 || answer.result === undefined)
    throw new Error(`${call.method} answered ${response.status}: ${JSON.stringify(answer).slice(0, 300)}`);
  return answer.result;
}
