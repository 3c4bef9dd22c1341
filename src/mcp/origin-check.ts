// Pages of other sites may not use the tool server (DNS rebinding): the Origin that a browser sends must be our own. A
// server that listens on this machine only must also be called by a name of this machine. Programs send no Origin.

import type { AppContext } from '../run/context.ts';
import type { ToolRequest } from '../run/tool-server.ts';

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

export function isForeignOrigin({ config, address }: AppContext, { headers }: ToolRequest): boolean {
  const { origin, host } = headers;
  const ours = [address.base, config.checkoutPageBase].filter((url) => url !== null && url !== '') as string[];
  if (origin !== undefined && !ours.some((url) => isSameOrigin(new URL(url), String(origin)))) return true;
  const isLocal = config.baseUrl === null && LOOPBACK.test(config.host === '::1' ? '[::1]' : config.host);
  return isLocal && host !== undefined && !LOOPBACK.test(String(host).replace(/:\d+$/, ''));
}

/** Compares scheme, host and port; all names of this machine are one host. */
function isSameOrigin(own: URL, origin: string): boolean {
  if (origin.length > 300 || !URL.canParse(origin)) return false;
  const given = new URL(origin);
  const areLocal = LOOPBACK.test(own.hostname) && LOOPBACK.test(given.hostname);
  return own.protocol === given.protocol && own.port === given.port && (areLocal || own.hostname === given.hostname);
}
