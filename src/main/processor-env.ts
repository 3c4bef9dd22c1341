// The settings of `everyshare processor` as a service of its own, for servers and workers that find it by
// SANDBOX_PROCESSOR_URL: they share ENCRYPTION_KEY, from which each of them derives the same keys.

import { join } from 'node:path';
import { settingsToEnv } from '../../sandbox/processor/process-state.ts';
import { readConfig } from '../base/config.ts';
import { sandboxKeysOf, sandboxPublicBase } from './processors.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** Without ENCRYPTION_KEY it needs its own settings, which come first in any case (sandbox/README.md). */
export function processorEnv(env: Env): Env {
  if ((env.ENCRYPTION_KEY ?? '') === '') return env;
  const config = readConfig(env);
  const { dataDir, host, port, encryptionKeys } = config;
  const derived = settingsToEnv({
    folder: join(dataDir, 'processor'),
    host,
    port,
    publicBase: sandboxPublicBase(config),
    keys: sandboxKeysOf(encryptionKeys ?? []),
  });
  return { ...derived, ...env };
}
