// 400 clients that ask for large documents and never read them: the requests of others are as fast as without them, and
// the server's memory stays as it was.

import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Bench, PreparedBench } from './bench.ts';
import type { BenchFixture } from './fixture.ts';
import { getRequest } from './load.ts';

const READERS = 400;
const DOCUMENT = '/docs/scalar.js';
/** More than the buffers of both systems hold. */
const DOCUMENTS_PER_READER = 8;
const MAX_GROWTH_BYTES = 96 * 1024 * 1024;
const CONNECTIONS = 16;

export const silentReaders: Bench = {
  name: 'silent-readers',
  isExtra: true,
  floor: 0.8,
  goal: 0.95,
  unit: 'requests/s',
  better: 'more',
  note: `GET /v1/me over ${CONNECTIONS} connections while ${READERS} clients, each from its own address, have asked for ${DOCUMENTS_PER_READER} documents of 3 MB and read nothing. A server that grows by more than 96 MB fails the run.`,
  rounds: { full: 5, quick: 1 },
  sides: { ours: 'beside silent readers', base: 'alone' },
  prepare,
};

async function prepare(fixture: BenchFixture): Promise<PreparedBench> {
  const server = await fixture.startServer();
  const { keys } = await fixture.makeVenue(1);
  const job = {
    port: server.port,
    requests: [getRequest('/v1/me', keys[0] ?? '')],
    connections: CONNECTIONS,
    status: 200,
    bodyBytes: null,
  } as const;
  // The first caller of a document loads it for all: 80 MB that no silent reader causes.
  await (await fetch(`http://127.0.0.1:${server.port}${DOCUMENT}`)).arrayBuffer();
  const count = await fixture.load.calibrate(job, fixture.seconds.warm, 4 * fixture.seconds.round);
  const ours = async (): Promise<number> => {
    const before = await residentBytes(server.port);
    const sockets = await Promise.all(Array.from({ length: READERS }, (_, n) => openReader(server.port, n)));
    try {
      await untilSilent(server.port);
      const rate = await fixture.load.send({ ...job, count });
      const growth = (await residentBytes(server.port)) - before;
      if (growth > MAX_GROWTH_BYTES) throw new Error(`the server grew by ${Math.round(growth / 1024 / 1024)} MB`);
      return rate;
    } finally {
      for (const socket of sockets) socket.destroy();
    }
  };
  return { ours, base: () => fixture.load.send({ ...job, count }), close: () => server.stop() };
}

/** A client at an address of its own, so that no bound of one address holds for it. */
function openReader(port: number, n: number): Promise<Socket> {
  const localAddress = `127.1.${n >> 8}.${n & 255 || 1}`;
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, localAddress }, () => {
      socket.pause();
      socket.write(`GET ${DOCUMENT} HTTP/1.1\r\nhost: x\r\n\r\n`.repeat(DOCUMENTS_PER_READER));
      resolve(socket);
    });
    socket.once('error', reject);
  });
}

const POLL_MS = 500;
const MAX_POLLS = 30;
const MAX_IDLE_CPU_SECONDS = 0.05;

/** Waits until the server has written what the readers' systems take: from then on they only hold what they asked for. */
async function untilSilent(port: number): Promise<void> {
  let before = await processFigure(port, 'cpu_seconds_total');
  for (let poll = 0; poll < MAX_POLLS; poll++) {
    await delay(POLL_MS);
    const cpu = await processFigure(port, 'cpu_seconds_total');
    if (cpu - before < MAX_IDLE_CPU_SECONDS) return;
    before = cpu;
  }
  throw new Error('the server did not come to rest beside the readers');
}

const residentBytes = (port: number): Promise<number> => processFigure(port, 'resident_memory_bytes');

async function processFigure(port: number, name: string): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${port}/metrics`);
  const found = new RegExp(`^everyshare_process_${name} (\\S+)`, 'm').exec(await response.text());
  if (found === null) throw new Error(`/metrics has no ${name}`);
  return Number(found[1]);
}
