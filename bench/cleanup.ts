// Runs cleanup steps once, last added first, on every way out: the end of the run, an error, Ctrl-C, a kill.

export type CleanupStep = () => Promise<void> | void;

export interface Cleanup {
  add(step: CleanupStep): void;
  /** Runs every step once; a second call waits for the first. */
  run(): Promise<void>;
  /** True once cleanup has started: figures measured after that are not results. */
  hasStarted(): boolean;
}

const SIGNALS: Readonly<Record<string, number>> = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 };

export function makeCleanup(): Cleanup {
  const all: CleanupStep[] = [];
  let child: Promise<void> | null = null;
  const runAll = async (): Promise<void> => {
    for (let end = all.pop(); end !== undefined; end = all.pop()) {
      try {
        await end();
      } catch (error) {
        process.stderr.write(`bench: something did not end cleanly: ${String(error)}\n`);
        process.exitCode = 1;
      }
    }
  };
  const run = (): Promise<void> => {
    child ??= runAll();
    return child;
  };
  const leave = (code: number): void => {
    void run().then(() => process.exit(code));
  };
  for (const [signal, code] of Object.entries(SIGNALS)) process.on(signal, () => leave(code));
  for (const event of ['uncaughtException', 'unhandledRejection']) {
    process.on(event, (error: unknown) => {
      process.stderr.write(`bench: ${error instanceof Error ? error.stack : String(error)}\n`);
      leave(1);
    });
  }
  return {
    add: (step) => {
      all.push(step);
    },
    run,
    hasStarted: () => child !== null,
  };
}
