// Sends load from a separate process: keep-alive connections over plain sockets, one request at a time on each. It
// checks only the status and the length of every response, to use as little processor time as possible.

import { connect, type Socket } from 'node:net';
import { handleJobs } from './child-jobs.ts';
import type { LoadJob } from './load.ts';

const TIMEOUT_MS = 60_000;
const BUFFER_BYTES = 64 * 1024;
const CONTENT_LENGTH = /\r\ncontent-length: (\d+)/i;

handleJobs(run);

interface Outcome {
  readonly seconds: number;
  /** Milliseconds of each request, in the order of the responses. */
  readonly times: number[];
}

async function run(job: LoadJob): Promise<Outcome> {
  const requests = job.requests.map((text) => Buffer.from(text, 'latin1'));
  const sockets: Socket[] = [];
  const timers: NodeJS.Timeout[] = [];
  try {
    return await new Promise<Outcome>((resolve, reject) => {
      const times: number[] = [];
      const idle: Socket[] = [];
      /** When the request in flight on a connection was due. */
      const dueAt = new Map<Socket, number>();
      let sent = 0;
      let connected = 0;
      let startedAt = 0;
      const timeout = (): void => reject(new Error(`${times.length} of ${job.count} responses in a minute`));
      timers.push(setTimeout(timeout, TIMEOUT_MS));
      const { perSecond } = job;
      /** When the next request is due: in a closed loop, as soon as a connection is free. */
      const nextDueAt = (now: number): number =>
        perSecond === undefined ? now : startedAt + (sent * 1000) / perSecond;
      const sendDue = (): void => {
        const now = performance.now();
        while (sent < job.count && idle.length > 0 && nextDueAt(now) <= now) {
          // In turn: a server closes a connection that it hears nothing from.
          const socket = idle.shift() as Socket;
          dueAt.set(socket, nextDueAt(now));
          socket.write(requests[sent++ % requests.length] as Buffer);
        }
      };
      const onResponse = (socket: Socket): void => {
        const now = performance.now();
        times.push(now - (dueAt.get(socket) ?? now));
        if (times.length === job.count) return void resolve({ seconds: (now - startedAt) / 1000, times });
        idle.push(socket);
        sendDue();
      };
      const onReady = (): void => {
        if (++connected < job.connections) return;
        startedAt = performance.now();
        idle.push(...sockets);
        sendDue();
        if (perSecond !== undefined) timers.push(setInterval(sendDue, 1));
      };
      for (let n = 0; n < job.connections; n++) {
        sockets.push(openConnection(job, { onReady, onResponse, onFailure: (why) => reject(new Error(why)) }));
      }
    });
  } finally {
    for (const timer of timers) clearTimeout(timer);
    for (const socket of sockets) socket.destroy();
  }
}

interface ConnectionEvents {
  readonly onReady: () => void;
  readonly onResponse: (socket: Socket) => void;
  readonly onFailure: (why: string) => void;
}

function openConnection(job: LoadJob, events: ConnectionEvents): Socket {
  const buffer = Buffer.allocUnsafe(BUFFER_BYTES);
  const expectedStart = `HTTP/1.1 ${job.status} `;
  let head = '';
  let bodyBytesLeft = 0;
  const read = (size: number): void => {
    let from = 0;
    if (bodyBytesLeft === 0) {
      head += buffer.toString('latin1', 0, size);
      const end = head.indexOf('\r\n\r\n');
      if (end < 0) return;
      const before = head.length - size;
      const length = Number(CONTENT_LENGTH.exec(head.slice(0, end))?.[1] ?? -1);
      if (!head.startsWith(expectedStart)) throw new Error(`a response began with ${head.slice(0, 600)}`);
      if (length < 0 || (job.bodyBytes !== null && length !== job.bodyBytes))
        throw new Error(`a response had ${length} bytes, not ${job.bodyBytes}`);
      from = end + 4 - before;
      bodyBytesLeft = length;
      head = '';
    }
    bodyBytesLeft -= size - from;
    if (bodyBytesLeft < 0) throw new Error('a response was longer than its content-length');
    if (bodyBytesLeft === 0) events.onResponse(socket);
  };
  const onread = {
    buffer,
    callback: (size: number): boolean => {
      try {
        read(size);
      } catch (error) {
        events.onFailure(error instanceof Error ? error.message : String(error));
      }
      return true;
    },
  };
  const socket = connect({ port: job.port, host: '127.0.0.1', noDelay: true, onread });
  socket.once('connect', events.onReady);
  socket.once('error', (error) => events.onFailure(`a connection failed: ${error.message}`));
  socket.once('end', () => events.onFailure('the server closed a connection'));
  return socket;
}
