// The address for monitoring alone (METRICS_PORT): it serves /metrics and nothing else, so that a firewall can keep it
// apart from the public address.

import { createServer } from 'node:http';
import { catalogue } from '../base/errors.ts';
import type { HttpContext } from './context.ts';
import { mayReadMetrics } from './metrics-access.ts';
import { pathOf } from './routes.ts';

export interface MetricsServer {
  readonly port: number;
  close(): Promise<void>;
}

const TIMEOUT_MS = 10_000;
const MAX_CONNECTIONS = 50;

export async function startMetricsServer(http: HttpContext, host: string, wantedPort: number): Promise<MetricsServer> {
  const server = createServer({ requestTimeout: TIMEOUT_MS, headersTimeout: TIMEOUT_MS }, (request, response) => {
    const { headers, method, url = '' } = request;
    const reader = { address: request.socket.remoteAddress ?? '', headers };
    const isScrape = (method === 'GET' || method === 'HEAD') && pathOf(url) === '/metrics';
    if (!isScrape || !mayReadMetrics(http.app.operatorToken, reader)) {
      const { status, message } = catalogue.not_found;
      response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' });
      response.end(JSON.stringify({ error: { code: 'not_found', message, request_id: http.app.ids.prefixed('req') } }));
      return;
    }
    http.metrics.text().then(
      (text) => response.writeHead(200, { 'content-type': http.metrics.contentType }).end(text),
      (error: unknown) => {
        http.app.log.error({ err: error }, 'the server could not render its metrics');
        response.writeHead(500).end();
      },
    );
  });
  server.maxConnections = MAX_CONNECTIONS;
  server.setTimeout(TIMEOUT_MS);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(wantedPort, host, resolve);
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
