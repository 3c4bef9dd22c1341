// Turns the failure to open a port into an error about the setting that names it.

import { type Config, ConfigError } from '../base/config.ts';

export function asListenError(error: unknown, config: Config): unknown {
  const { code, port } = error as NodeJS.ErrnoException & { readonly port?: number };
  const [name, host] = addressOf(config, port);
  if (code === 'EADDRINUSE')
    return new ConfigError([
      `${name}PORT ${port} is taken by another program: stop that one, or set ${name}PORT to another.`,
    ]);
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return new ConfigError([`${name}HOST ${host} is not an address of this machine: correct it.`]);
  return code === 'EACCES'
    ? new ConfigError([`${name}PORT ${port} may not be opened by this user: set ${name}PORT to 1024 or more.`])
    : error;
}

/** The beginning of the settings' names, and the host. */
function addressOf(config: Config, port: number | undefined): readonly [prefix: string, host: string] {
  if (port !== undefined && port !== config.port) {
    if (port === config.metricsPort) return ['METRICS_', config.metricsHost];
    if (port === config.workerPort) return ['WORKER_', config.workerHost];
  }
  return ['', config.host];
}
