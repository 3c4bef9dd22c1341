// Bounds what one client can hold of the server without sending a request: connections in all and for one address, and
// answers that it does not read. A refused connection gets an answer that says why; a client that does not read its
// answer is dropped.

import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { addressIn } from '../base/address-range.ts';
import { networkOf } from '../base/network.ts';
import { sendRawError } from './client-error.ts';
import type { HttpContext } from './context.ts';

const SWEEP_MS = 1_000;
/** A slow reader is not dropped: it must take this much of its answer in each period. */
const MIN_BYTES_TAKEN = 8 * 1024;
/** More than the largest document. A stream that the client does not read must not grow beyond it. */
const MAX_UNREAD_BYTES = 8 * 1024 * 1024;

/** Since when a client has an answer to read, and how much it had taken then. */
interface UnreadSince {
  readonly at: number;
  readonly taken: number;
}

/** Returns a function that closes the connections on which no byte has arrived: Node does not count them as idle. */
export function limitConnections(server: Server, http: HttpContext): () => void {
  const { config, clock } = http.app;
  const open = new Map<Socket, UnreadSince | null>();
  const openByNetwork = new Map<string, number>();
  const accept = takeConnectionListener(server);

  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress ?? '';
    const network = networkOf(address);
    const count = openByNetwork.get(network) ?? 0;
    if (open.size >= config.maxConnections)
      return refuse(http, socket, 'service_unavailable', 'The server has too many connections open. Try again.');
    // The connections of a proxy are those of all its clients.
    if (count >= config.maxConnectionsPerAddress && !addressIn(address, config.trustedProxies)) {
      const message = `This address has ${count} connections open: use fewer, and use each for several requests.`;
      return refuse(http, socket, 'rate_limited', message);
    }
    open.set(socket, null);
    openByNetwork.set(network, count + 1);
    socket.once('close', () => {
      open.delete(socket);
      const left = (openByNetwork.get(network) ?? 1) - 1;
      if (left === 0) openByNetwork.delete(network);
      else openByNetwork.set(network, left);
    });
    accept(socket);
  });

  const sweep = setInterval(() => {
    const now = clock.now();
    for (const [socket, unread] of open) {
      const next = unreadAt(socket, unread, now, config.stalledWriteSeconds * 1000);
      if (next === 'stalled') drop(http, socket);
      else if (next !== unread) open.set(socket, next);
    }
  }, SWEEP_MS);
  sweep.unref();
  server.once('close', () => clearInterval(sweep));
  http.metrics.countConnections(() => open.size);
  return () => {
    for (const socket of open.keys()) if (socket.bytesRead === 0) socket.destroy();
  };
}

/**
 * Node's own listener, which reads requests from a connection, is called only for accepted connections: a refused one
 * must not run a request.
 */
function takeConnectionListener(server: Server): (socket: Socket) => void {
  const listeners = server.listeners('connection') as ((socket: Socket) => void)[];
  server.removeAllListeners('connection');
  return (socket) => {
    for (const listener of listeners) listener.call(server, socket);
  };
}

function unreadAt(
  socket: Socket,
  before: UnreadSince | null,
  now: number,
  stallMs: number,
): UnreadSince | null | 'stalled' {
  if (socket.writableLength === 0) return null;
  if (socket.writableLength > MAX_UNREAD_BYTES) return 'stalled';
  const taken = bytesTaken(socket);
  if (before === null) return { at: now, taken };
  if (now - before.at < stallMs) return before;
  return taken - before.taken >= MIN_BYTES_TAKEN ? { at: now, taken } : 'stalled';
}

/** What the system took of the written bytes. Node counts the rest of a write that is under way in its handle. */
function bytesTaken(socket: Socket): number {
  const { _handle: handle } = socket as Socket & { readonly _handle?: { readonly writeQueueSize?: number } | null };
  return socket.bytesWritten - (handle?.writeQueueSize ?? socket.writableLength);
}

function drop(http: HttpContext, socket: Socket): void {
  http.metrics.countDropped('unread');
  http.app.log.info(
    { unread_bytes: socket.writableLength },
    'the server dropped a client that does not read its answer',
  );
  socket.destroy();
}

function refuse(
  http: HttpContext,
  socket: Socket,
  code: 'service_unavailable' | 'rate_limited',
  message: string,
): void {
  http.metrics.countDropped(code === 'rate_limited' ? 'address' : 'total');
  socket.on('error', () => socket.destroy()); // The client has closed it already.
  socket.resume(); // Unread bytes would make the system discard the answer.
  sendRawError(http, socket, code, { message, headers: 'retry-after: 1\r\n' });
  socket.destroySoon();
}

const IDLE_SWEEP_MS = 50;

/**
 * Requests in flight finish. A connection stays open after its last response, and may be open before its first request, so
 * such connections are closed until none is left.
 */
export async function closeGracefully(app: FastifyInstance, closeUnused: () => void): Promise<void> {
  const sweep = setInterval(() => {
    app.server.closeIdleConnections();
    closeUnused();
  }, IDLE_SWEEP_MS);
  try {
    await app.close();
  } finally {
    clearInterval(sweep);
  }
}
