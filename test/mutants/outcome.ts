// The outcome of one planted bug, read from the output of its tests or of the simulation. A bug is caught by a test
// that ran and failed, or by a seed whose violation was printed. A run that could not start, ran out of time or crashed
// proves nothing: its outcome is broken.

export type Outcome =
  | { readonly kind: 'survived' }
  | {
      readonly kind: 'caught';
      /** The test file, or "simulation". */
      readonly where: string;
      /** The full name of the test, or the seed. */
      readonly by: string;
      /** The first line of the failure message. */
      readonly says: string;
    }
  | { readonly kind: 'broken'; readonly why: string };

/** A process that has exited or was killed. */
export interface ProcessResult {
  /** Null: a signal killed it. */
  readonly code: number | null;
  readonly tookTooLong: boolean;
  readonly output: string;
  /** The JSON report of vitest, as text; null: vitest wrote none. */
  readonly report: string | null;
}

interface VitestReport {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message?: string;
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: string;
      readonly failureMessages?: readonly string[];
    }[];
  }[];
}

const MAX_LINE_LENGTH = 200;
/** Messages that also appear on a busy machine without any bug. */
const BUSY_MACHINE = /timed? ?-?out|ECONNREFUSED|ECONNRESET|EADDRINUSE|EPIPE|\bhook\b|Connection terminated/i;

function firstLine(text: string | undefined): string {
  const lines = (text ?? '').split('\n').map((line) => line.trim());
  return (lines.find((line) => line !== '') ?? 'it said nothing').slice(0, MAX_LINE_LENGTH);
}

const lastLines = (output: string): string => output.trimEnd().split('\n').slice(-12).join('\n');

/** Reads the outcome from a run of vitest. */
export function readVitestResult(result: ProcessResult): Outcome {
  if (result.tookTooLong) return { kind: 'broken', why: 'the tests took too long and were ended' };
  if (result.code === 0) return { kind: 'survived' };
  const endedWith = `the tests ended with ${result.code ?? 'a signal'}`;
  if (result.report === null)
    return { kind: 'broken', why: `${endedWith} and left no report:\n${lastLines(result.output)}` };
  const { testResults } = JSON.parse(result.report) as VitestReport;
  // Files that vitest skipped after another file failed are listed as passed, without tests. Only a failed test counts.
  for (const { name, assertionResults } of testResults) {
    const failed = assertionResults.find(({ status }) => status === 'failed');
    if (failed === undefined) continue;
    return {
      kind: 'caught',
      where: pathInRepository(name),
      by: failed.fullName,
      says: firstLine(failed.failureMessages?.[0]),
    };
  }
  const [secretInLogs] = /^logs: .* no log may hold.*/m.exec(result.output) ?? [];
  if (secretInLogs !== undefined)
    return { kind: 'caught', where: 'test/logs/setup.ts', by: 'every log line', says: secretInLogs };
  const notStarted = testResults.find(({ status }) => status === 'failed');
  if (notStarted === undefined)
    return { kind: 'broken', why: `${endedWith}, and none had failed:\n${lastLines(result.output)}` };
  return {
    kind: 'broken',
    why: `${pathInRepository(notStarted.name)} could not begin: ${firstLine(notStarted.message)}`,
  };
}

function pathInRepository(file: string): string {
  return file.slice(file.lastIndexOf('/test/') + 1);
}

/** Reads the outcome from the output of the simulation. */
export function readSimulationResult(result: ProcessResult): Outcome {
  if (result.tookTooLong) return { kind: 'broken', why: 'the simulation took too long and was ended' };
  if (result.code === 0) return { kind: 'survived' };
  const [, seed, violation] = /^seed (\d+): (.*)$/m.exec(result.output) ?? [];
  if (seed === undefined) {
    const why = `the simulation ended with ${result.code ?? 'a signal'} and named no seed:\n${lastLines(result.output)}`;
    return { kind: 'broken', why };
  }
  return { kind: 'caught', where: 'simulation', by: `seed ${seed}`, says: firstLine(violation) };
}

/** Whether the failure counts only after the test has failed again with the bug and passed without it. */
export function needsConfirmation(outcome: Outcome): boolean {
  return outcome.kind === 'caught' && BUSY_MACHINE.test(outcome.says);
}
