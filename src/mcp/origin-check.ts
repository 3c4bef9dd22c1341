// Pages of other sites may not use the tool server (DNS rebinding): a browser sends its page's Origin, which has to be our own.
// A server that is reached on this machine alone is not called by another name either. Programs send no Origin.

import type { AppContext } from '../run/context.ts';
import type { ToolRequest } from '../run/tool-server.ts';

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

export function isForeign({ config, address }: AppContext, { headers }: ToolRequest): boolean {
  const { origin, host } = headers;
  const ours = [address.base, config.checkoutPageBase].filter((url) => url !== null && url !== '') as string[];
  if (origin !== undefined && !ours.some((url) => isSame(new URL(url), String(origin)))) return true;
  const local = config.baseUrl === null && LOOPBACK.test(config.host === '::1' ? '[::1]' : config.host);
  return local && host !== undefined && !LOOPBACK.test(String(host).replace(/:\d+$/, ''));
}

/** By scheme, host and port; every name of this machine is the same host. */
function isSame(own: URL, origin: string): boolean {
  if (origin.length > 300 || !URL.canParse(origin)) return false;
  const given = new URL(origin);
  const both = LOOPBACK.test(own.hostname) && LOOPBACK.test(given.hostname);
  return own.protocol === given.protocol && own.port === given.port && (both || own.hostname === given.hostname);
}
