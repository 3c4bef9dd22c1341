// The load, in a process of its own: keep-alive connections over plain sockets, one request under way on each. It looks
// at the status and the length of every answer, and at nothing else, so that it costs as little as it can.

import { connect, type Socket } from 'node:net';
import { answerOrders } from './asking.ts';
import type { Order } from './load.ts';

const PATIENCE_MS = 60_000;
const BUFFER_BYTES = 64 * 1024;
const LENGTH = /\r\ncontent-length: (\d+)/i;

answerOrders(run);

async function run(order: Order): Promise<{ seconds: number }> {
  const requests = order.requests.map((text) => Buffer.from(text, 'latin1'));
  const sockets: Socket[] = [];
  let patience: NodeJS.Timeout | undefined;
  try {
    return await new Promise<{ seconds: number }>((resolve, reject) => {
      let sent = 0;
      let done = 0;
      let connected = 0;
      let start = 0n;
      patience = setTimeout(() => reject(new Error(`${done} of ${order.count} answers in a minute`)), PATIENCE_MS);
      const sendNext = (socket: Socket): void => {
        if (sent < order.count) socket.write(requests[sent++ % requests.length] as Buffer);
      };
      const answered = (socket: Socket): void => {
        if (++done < order.count) sendNext(socket);
        else resolve({ seconds: Number(process.hrtime.bigint() - start) / 1e9 });
      };
      const ready = (): void => {
        if (++connected < order.connections) return;
        start = process.hrtime.bigint();
        for (const socket of sockets) sendNext(socket);
      };
      for (let n = 0; n < order.connections; n++) {
        sockets.push(open(order, { ready, answered, fail: (why) => reject(new Error(why)) }));
      }
    });
  } finally {
    clearTimeout(patience);
    for (const socket of sockets) socket.destroy();
  }
}

interface Events {
  readonly ready: () => void;
  readonly answered: (socket: Socket) => void;
  readonly fail: (why: string) => void;
}

function open(order: Order, events: Events): Socket {
  const buffer = Buffer.allocUnsafe(BUFFER_BYTES);
  const begins = `HTTP/1.1 ${order.status} `;
  let head = '';
  let missing = 0;
  const read = (size: number): void => {
    let from = 0;
    if (missing === 0) {
      head += buffer.toString('latin1', 0, size);
      const end = head.indexOf('\r\n\r\n');
      if (end < 0) return;
      const before = head.length - size;
      const length = Number(LENGTH.exec(head.slice(0, end))?.[1] ?? -1);
      if (!head.startsWith(begins)) throw new Error(`an answer began with ${head.slice(0, 600)}`);
      if (length < 0 || (order.length !== null && length !== order.length))
        throw new Error(`an answer had ${length} bytes, not ${order.length}`);
      from = end + 4 - before;
      missing = length;
      head = '';
    }
    missing -= size - from;
    if (missing < 0) throw new Error('an answer was longer than it said');
    if (missing === 0) events.answered(socket);
  };
  const onread = {
    buffer,
    callback: (size: number): boolean => {
      try {
        read(size);
      } catch (error) {
        events.fail(error instanceof Error ? error.message : String(error));
      }
      return true;
    },
  };
  const socket = connect({ port: order.port, host: '127.0.0.1', noDelay: true, onread });
  socket.once('connect', events.ready);
  socket.once('error', (error) => events.fail(`a connection failed: ${error.message}`));
  socket.once('end', () => events.fail('the server closed a connection'));
  return socket;
}
