// Receivers for the outbound tests: a canary that counts every connection on every local address, over http and https,
// and servers that answer as a test wants. They use the self-signed certificate of receiver-certificate.ts.

import { createServer as createHttp, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createHttps } from 'node:https';
import { type AddressInfo, createServer as createTcp, type Server, type Socket } from 'node:net';
import { createServer as createTls, type TLSSocket } from 'node:tls';
import { certificate, privateKey } from './receiver-certificate.ts';

export interface Listening {
  readonly port: number;
  close(): Promise<void>;
}

const identity = { key: privateKey, cert: certificate };

function listen(server: Server, host: string): Promise<Listening> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
  });
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, host, () => {
      const close = (): Promise<void> =>
        new Promise((done) => {
          server.close(() => done());
          for (const socket of sockets) socket.destroy();
        });
      resolve({ port: (server.address() as AddressInfo).port, close });
    });
  });
}

/** `::` accepts IPv4 too; a machine without IPv6 listens on all IPv4 addresses. */
async function listenEverywhere(createServer: () => Server): Promise<Listening> {
  return listen(createServer(), '::').catch(() => listen(createServer(), '0.0.0.0'));
}

export interface Canary {
  readonly httpPort: number;
  readonly httpsPort: number;
  /** The number of connections of any kind to any local address. */
  readonly connectionCount: () => number;
  close(): Promise<void>;
}

export async function startCanary(): Promise<Canary> {
  let connections = 0;
  const countConnections = (createServer: () => Server) => (): Server =>
    createServer().on('connection', () => {
      connections += 1;
    });
  const respond = (_request: IncomingMessage, response: ServerResponse): void => {
    response.end('secret of the inner network');
  };
  const http = await listenEverywhere(countConnections(() => createHttp(respond)));
  const https = await listenEverywhere(countConnections(() => createHttps(identity, respond)));
  return {
    httpPort: http.port,
    httpsPort: https.port,
    connectionCount: () => connections,
    close: async () => {
      await Promise.all([http.close(), https.close()]);
    },
  };
}

export function startHttpsReceiver(
  respond: (request: IncomingMessage, response: ServerResponse, body: string) => void,
): Promise<Listening> {
  const server = createHttps(identity, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => respond(request, response, Buffer.concat(chunks).toString()));
  });
  return listen(server, '127.0.0.1');
}

/** A TLS server; `respond` writes any bytes to the socket. */
export function startTlsReceiver(respond: (socket: TLSSocket) => void): Promise<Listening> {
  const server = createTls(identity, (socket) => {
    socket.on('error', () => {});
    socket.once('data', () => respond(socket));
  });
  return listen(server, '127.0.0.1');
}

export function startTcpReceiver(respond: (socket: Socket) => void): Promise<Listening> {
  return listen(createTcp(respond), '127.0.0.1');
}
