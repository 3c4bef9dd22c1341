// The main function of the processor's own process: takes the folder's lock, opens the journal, listens, writes the
// state file, and ends on SIGTERM or SIGINT. A second process for the same folder ends at once with code 0.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { lockFolder } from './process-lock.ts';
import {
  fingerprintKeys,
  type ProcessorSettings,
  readStateFile,
  STOP_WHEN_IDLE,
  settingsFromEnv,
  writeStateFile,
} from './process-state.ts';
import { type RunningProcessor, startProcessor } from './server.ts';

/** A server that uses the processor calls it every few seconds. */
const MAX_IDLE_MS = 90_000;

/** Runs until a stop signal; resolves with the exit code. Calls `ready` once it listens. */
export async function runProcessor(
  env: Readonly<Record<string, string | undefined>>,
  log: (line: string) => void = (line) => void process.stdout.write(`${line}\n`),
  ready: () => void = () => undefined,
): Promise<number> {
  const settings = settingsFromEnv(env);
  mkdirSync(settings.folder, { recursive: true, mode: 0o700 });
  const lock = await lockFolder(settings.folder);
  if (lock === null) {
    log('another processor uses this folder');
    return 0;
  }
  const stop = stopRequest();
  try {
    // A processor that a person started ends only by a signal.
    const stopsUnused = env[STOP_WHEN_IDLE] === '1';
    const whenUnused = (): void => {
      if (stopsUnused) stop.request(0);
    };
    const processor = await listen(settings, log, { request: stop.request, whenUnused });
    writeStateFile(settings.folder, { pid: process.pid, port: processor.port });
    log(`the processor listens at ${processor.url}`);
    ready();
    const idle = stopsUnused ? stopWhenIdle(processor, stop.request) : null;
    const code = await stop.code;
    clearInterval(idle ?? undefined);
    await processor.close();
    log('the processor has stopped');
    return code;
  } finally {
    lock.release();
  }
}

/** Ends a processor whose server was killed without stopping it. Its journal stays on disk. */
function stopWhenIdle(processor: RunningProcessor, stop: (code: number) => void): NodeJS.Timeout {
  return setInterval(() => {
    if (Date.now() - processor.lastRequestAt() > MAX_IDLE_MS) stop(0);
  }, 1_000);
}

function stopRequest(): { readonly code: Promise<number>; readonly request: (code: number) => void } {
  let request: (code: number) => void = () => undefined;
  const code = new Promise<number>((resolve) => {
    request = resolve;
  });
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => request(0));
  return { code, request };
}

/** Reuses the previous port if it is free, so that clients find a restarted processor at the same address. */
async function listen(
  settings: ProcessorSettings,
  log: (line: string) => void,
  stop: { readonly request: (code: number) => void; readonly whenUnused: () => void },
): Promise<RunningProcessor> {
  const { folder, host, keys, publicBase, port } = settings;
  const start = (requestedPort: number): Promise<RunningProcessor> =>
    startProcessor({
      host,
      port: requestedPort,
      folder: join(folder, 'books'),
      keys,
      ...(publicBase === '' ? {} : { publicBase }),
      log,
      keysFingerprint: fingerprintKeys(settings),
      // Every response that was sent is on disk, and clients retry the others: end and restart.
      onFatal: () => stop.request(1),
      onUnused: stop.whenUnused,
    });
  const preferred = port === 0 ? (readStateFile(folder)?.port ?? 0) : port;
  try {
    return await start(preferred);
  } catch (error) {
    if (port !== 0 || preferred === 0 || (error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    return start(0);
  }
}
