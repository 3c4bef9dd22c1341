// Who may read the metrics: a caller on the machine itself or in a private network, with no proxy in between, or a
// caller with the operator's token. A proxy has a private address, so a request that came through one proves nothing
// about its sender, whether the proxy is trusted or not.

import type { IncomingHttpHeaders } from 'node:http';
import { addressIn } from '../address-range.ts';
import { hasBearerToken } from '../bearer-token.ts';

const PRIVATE_NETWORKS = ['127.0.0.0/8', '::1/128', '10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'];

/** Headers that proxies, load balancers and content delivery networks add. */
const PROXY_HEADER = /^(forwarded|via|x-forwarded(-.*)?|x-real-ip|x-original-.*|(x-)?[a-z-]*(client|connecting)-ip)$/;

export interface MetricsReader {
  /** Of the connection. */
  readonly address: string;
  readonly headers: IncomingHttpHeaders;
}

export function mayReadMetrics(operatorToken: string, { address, headers }: MetricsReader): boolean {
  const isProxied = Object.keys(headers).some((name) => PROXY_HEADER.test(name));
  return (!isProxied && addressIn(address, PRIVATE_NETWORKS)) || hasBearerToken(operatorToken, headers.authorization);
}
