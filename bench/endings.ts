// Things to end, last one first, once, on every way out: the end of the run, an error, Ctrl-C, a kill.

export type Ending = () => Promise<void> | void;

export interface Endings {
  add(ending: Ending): void;
  /** Also when called twice, everything is ended once; both calls wait for it. */
  run(): Promise<void>;
  /** True from the moment everything is being ended: what comes in after that is no result. */
  begun(): boolean;
}

const SIGNALS: Readonly<Record<string, number>> = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 };

export function makeEndings(): Endings {
  const all: Ending[] = [];
  let running: Promise<void> | null = null;
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
    running ??= runAll();
    return running;
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
    add: (ending) => {
      all.push(ending);
    },
    run,
    begun: () => running !== null,
  };
}
