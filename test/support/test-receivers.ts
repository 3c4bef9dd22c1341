// Receivers for the outbound tests: a canary that counts every connection on every local address, over http and https,
// and an https server that misbehaves as told. Both have the certificate that nobody vouches for.

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

/** `::` takes IPv4 too; where the machine has no IPv6, all of IPv4 must do. */
async function listenEverywhere(make: () => Server): Promise<Listening> {
  return listen(make(), '::').catch(() => listen(make(), '0.0.0.0'));
}

export interface Canary {
  readonly httpPort: number;
  readonly httpsPort: number;
  /** Connections, of any kind, to any local address. */
  readonly touched: () => number;
  close(): Promise<void>;
}

export async function startCanary(): Promise<Canary> {
  let touched = 0;
  const counted = (make: () => Server) => (): Server =>
    make().on('connection', () => {
      touched += 1;
    });
  const answer = (_request: IncomingMessage, response: ServerResponse): void => {
    response.end('secret of the inner network');
  };
  const http = await listenEverywhere(counted(() => createHttp(answer)));
  const https = await listenEverywhere(counted(() => createHttps(identity, answer)));
  return {
    httpPort: http.port,
    httpsPort: https.port,
    touched: () => touched,
    close: async () => {
      await Promise.all([http.close(), https.close()]);
    },
  };
}

export function startHttpsReceiver(
  answer: (request: IncomingMessage, response: ServerResponse, body: string) => void,
): Promise<Listening> {
  const server = createHttps(identity, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => answer(request, response, Buffer.concat(chunks).toString()));
  });
  return listen(server, '127.0.0.1');
}

/** Speaks TLS, and below it whatever it is told to. */
export function startTlsReceiver(answer: (socket: TLSSocket) => void): Promise<Listening> {
  const server = createTls(identity, (socket) => {
    socket.on('error', () => {});
    socket.once('data', () => answer(socket));
  });
  return listen(server, '127.0.0.1');
}

export function startTcpReceiver(answer: (socket: Socket) => void): Promise<Listening> {
  return listen(createTcp(answer), '127.0.0.1');
}
