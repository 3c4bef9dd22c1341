// The processor's own process, from its first line to its last: takes the folder's lock, opens the books, listens, writes
// down where, and ends on SIGTERM or SIGINT. A second one for the same folder ends at once and does no harm.

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

/** Whoever keeps it alive asks every few seconds. */
const MAX_IDLE_MS = 90_000;

/** Runs until it is told to end; the exit code. `say` gets lines for the log, `ready` is called when it listens. */
export async function runProcessor(
  env: Readonly<Record<string, string | undefined>>,
  log: (line: string) => void = (line) => void process.stdout.write(`${line}\n`),
  ready: () => void = () => undefined,
): Promise<number> {
  const settings = settingsFromEnv(env);
  mkdirSync(settings.folder, { recursive: true, mode: 0o700 });
  const lock = await lockFolder(settings.folder);
  if (lock === null) {
    log('another processor has this folder');
    return 0;
  }
  const told = stopRequest();
  try {
    const processor = await listen(settings, log, told.end);
    writeStateFile(settings.folder, { pid: process.pid, port: processor.port });
    log(`the processor listens at ${processor.url}`);
    ready();
    const idle = env[STOP_WHEN_IDLE] === '1' ? stopWhenIdle(processor, told.end) : null;
    const code = await told.code;
    clearInterval(idle ?? undefined);
    await processor.close();
    log('the processor has ended');
    return code;
  } finally {
    lock.release();
  }
}

/** One that was started for a server whose end it did not see is not left behind for ever. Its books stay. */
function stopWhenIdle(processor: RunningProcessor, end: (code: number) => void): NodeJS.Timeout {
  return setInterval(() => {
    if (Date.now() - processor.lastRequestAt() > MAX_IDLE_MS) end(0);
  }, 1_000);
}

function stopRequest(): { readonly code: Promise<number>; readonly end: (code: number) => void } {
  let end: (code: number) => void = () => undefined;
  const code = new Promise<number>((resolve) => {
    end = resolve;
  });
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => end(0));
  return { code, end };
}

/** The port it had before is kept where it can be: clients of a processor that came back need not be told. */
async function listen(
  settings: ProcessorSettings,
  log: (line: string) => void,
  end: (code: number) => void,
): Promise<RunningProcessor> {
  const { folder, host, keys, publicBase, port } = settings;
  const start = (wanted: number): Promise<RunningProcessor> =>
    startProcessor({
      host,
      port: wanted,
      folder: join(folder, 'books'),
      keys,
      ...(publicBase === '' ? {} : { publicBase }),
      log,
      keysFingerprint: fingerprintKeys(settings),
      // What was answered is on disk; what was not will be asked again. Ending is the honest thing.
      onFatal: () => end(1),
    });
  const before = port === 0 ? (readStateFile(folder)?.port ?? 0) : port;
  try {
    return await start(before);
  } catch (error) {
    if (port !== 0 || before === 0 || (error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    return start(0);
  }
}
