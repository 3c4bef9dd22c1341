// How the launcher and the processor's process exchange data: settings in the environment of the child, pid and port in
// a state file in the processor's folder.

import { createHash } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ProcessorKeys } from './api.ts';
import type { Mode } from './row-types.ts';

export interface StateFile {
  readonly pid: number;
  readonly port: number;
}

export interface ProcessorSettings {
  /** Holds the state file, the lock, the log and, in `books/`, the journal. */
  readonly folder: string;
  readonly host: string;
  /** 0: the port it had before if it is free, else any. */
  readonly port: number;
  /** Empty: the processor's own address. */
  readonly publicBase: string;
  readonly keys: Readonly<Record<Mode, ProcessorKeys>>;
}

const stateFilePath = (folder: string): string => join(folder, 'state.json');

/** Null: there is no readable state file. */
export function readStateFile(folder: string): StateFile | null {
  try {
    const { pid, port } = JSON.parse(readFileSync(stateFilePath(folder), 'utf8')) as Record<string, unknown>;
    return typeof pid === 'number' && typeof port === 'number' ? { pid, port } : null;
  } catch {
    return null;
  }
}

export function writeStateFile(folder: string, state: StateFile): void {
  const temporary = `${stateFilePath(folder)}.${state.pid}.tmp`;
  writeFileSync(temporary, `${JSON.stringify(state)}\n`, { mode: 0o600 });
  renameSync(temporary, stateFilePath(folder));
}

/** A hash of the keys, safe to publish: a launcher restarts a running processor only when its keys differ. */
export function fingerprintKeys({ keys }: ProcessorSettings): string {
  return createHash('sha256').update(JSON.stringify(keys)).digest('hex');
}

/** "1": the process ends after 90 seconds without a request. */
export const STOP_WHEN_IDLE = 'EVERYSHARE_PROCESSOR_ENDS_IDLE';

const ENV_NAMES = {
  folder: 'EVERYSHARE_PROCESSOR_FOLDER',
  host: 'EVERYSHARE_PROCESSOR_HOST',
  port: 'EVERYSHARE_PROCESSOR_PORT',
  publicBase: 'EVERYSHARE_PROCESSOR_PUBLIC_BASE',
} as const;

const keyEnvNames = (mode: Mode): ProcessorKeys => ({
  secret: `EVERYSHARE_PROCESSOR_${mode.toUpperCase()}_SECRET_KEY`,
  publishable: `EVERYSHARE_PROCESSOR_${mode.toUpperCase()}_PUBLISHABLE_KEY`,
  webhookSecret: `EVERYSHARE_PROCESSOR_${mode.toUpperCase()}_WEBHOOK_SECRET`,
});

export function settingsToEnv({ folder, host, port, publicBase, keys }: ProcessorSettings): Record<string, string> {
  const env: Record<string, string> = {
    [ENV_NAMES.folder]: folder,
    [ENV_NAMES.host]: host,
    [ENV_NAMES.port]: String(port),
    [ENV_NAMES.publicBase]: publicBase,
  };
  for (const mode of ['test', 'live'] as const) {
    const { secret, publishable, webhookSecret } = keyEnvNames(mode);
    env[secret] = keys[mode].secret;
    env[publishable] = keys[mode].publishable;
    env[webhookSecret] = keys[mode].webhookSecret;
  }
  return env;
}

/** Throws an error that names the missing variable. */
export function settingsFromEnv(env: Readonly<Record<string, string | undefined>>): ProcessorSettings {
  const required = (name: string): string => {
    const value = env[name];
    if (value === undefined || value === '') throw new Error(`${name} is not set`);
    return value;
  };
  const port = Number(env[ENV_NAMES.port] ?? '0');
  if (!Number.isInteger(port) || port < 0 || port > 65_535) throw new Error(`${ENV_NAMES.port} is not a port`);
  const keysOf = (mode: Mode): ProcessorKeys => {
    const { secret, publishable, webhookSecret } = keyEnvNames(mode);
    return { secret: required(secret), publishable: required(publishable), webhookSecret: required(webhookSecret) };
  };
  return {
    folder: required(ENV_NAMES.folder),
    host: env[ENV_NAMES.host] || '127.0.0.1',
    port,
    publicBase: env[ENV_NAMES.publicBase] ?? '',
    keys: { test: keysOf('test'), live: keysOf('live') },
  };
}
