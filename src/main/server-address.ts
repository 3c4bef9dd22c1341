// The address of the server for a process that serves nothing: a worker writes links that begin with it, and a command
// signs tokens that name it.

import { ConfigError } from '../base/config.ts';
import { localUrl } from '../base/network.ts';
import { findServerAddress } from '../domain/installation/address-queries.ts';
import type { AppContext } from '../run/context.ts';

/** A worker's own settings come first; else the server's address. Without one it must not run: its links would be broken. */
export async function setAddressOfWorker({ config, db, address }: AppContext): Promise<void> {
  const server = await findServerAddress(db);
  address.base = config.baseUrl ?? server?.base ?? '';
  address.pages = config.checkoutPageBase ?? config.baseUrl ?? server?.pages ?? '';
  if (address.base !== '') return;
  throw new ConfigError([
    'BASE_URL is not set, and no server has recorded its address in this database yet: set BASE_URL, or start "everyshare serve" first. The worker writes links for guests.',
  ]);
}

/**
 * A command takes the address of the server that runs, because that server verifies its tokens. Before the first start it
 * takes the address that the same settings will give a server; empty: PORT is 0, so it cannot be known.
 */
export async function setAddressOfCommand({ config, db, address }: AppContext): Promise<void> {
  const own = config.baseUrl ?? (config.port === 0 ? '' : localUrl(config, config.port));
  const server = await findServerAddress(db);
  address.base = server?.base ?? own;
  address.pages = server?.pages ?? config.checkoutPageBase ?? own;
}
