// An address for monitoring alone, so that a firewall can keep it apart from the public one: /metrics (METRICS_PORT), and
// for a worker also /healthz and /readyz (WORKER_PORT). It serves nothing else.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { catalogue, type ErrorCode } from '../errors.ts';
import type { Ids } from '../ids.ts';
import type { Log } from '../log.ts';
import { mayReadMetrics } from './metrics-access.ts';
import type { MetricsRegistry } from './metrics-registry.ts';

export interface MonitoringServer {
  readonly port: number;
  close(): Promise<void>;
}

export interface MonitoringServices {
  readonly metrics: Pick<MetricsRegistry, 'text' | 'contentType'>;
  readonly operatorToken: string;
  readonly ids: Pick<Ids, 'prefixed'>;
  readonly log: Log;
  /** Says why the process is not ready; null: it is. Absent: the address has neither /healthz nor /readyz. */
  readonly problem?: () => Promise<string | null>;
}

const TIMEOUT_MS = 10_000;
const MAX_CONNECTIONS = 50;

export async function startMonitoringServer(
  services: MonitoringServices,
  host: string,
  wantedPort: number,
): Promise<MonitoringServer> {
  const server = createServer({ requestTimeout: TIMEOUT_MS, headersTimeout: TIMEOUT_MS }, (request, response) => {
    answer(services, request, response).catch((error: unknown) => {
      services.log.error({ err: error }, 'the process could not answer its monitoring');
      if (!response.headersSent) response.writeHead(500);
      response.end();
    });
  });
  server.maxConnections = MAX_CONNECTIONS;
  server.setTimeout(TIMEOUT_MS);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    // Of this process alone, also where several share the port of the server.
    server.listen({ port: wantedPort, host, exclusive: true }, resolve);
  });
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : wantedPort,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(services: MonitoringServices, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { headers, method, url = '', socket } = request;
  const { metrics, problem } = services;
  const path = method === 'GET' || method === 'HEAD' ? url.split('?', 1)[0] : null;
  if (path === '/metrics' && mayReadMetrics(services.operatorToken, { address: socket.remoteAddress ?? '', headers })) {
    const text = await metrics.text();
    response.writeHead(200, { 'content-type': metrics.contentType }).end(text);
    return;
  }
  if (path === '/healthz' && problem !== undefined) return sendJson(response, 200, { status: 'ok' });
  if (path !== '/readyz' || problem === undefined) return sendError(services, response, 'not_found');
  const message = await problem();
  if (message === null) return sendJson(response, 200, { status: 'ready' });
  response.setHeader('retry-after', '1');
  sendError(services, response, 'service_unavailable', message);
}

function sendError(
  { ids }: MonitoringServices,
  response: ServerResponse,
  code: ErrorCode,
  message: string = catalogue[code].message,
): void {
  sendJson(response, catalogue[code].status, { error: { code, message, request_id: ids.prefixed('req') } });
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' });
  response.end(JSON.stringify(body));
}
