// What came of one planted bug, read from what its tests or the simulation said. A catch is a test that ran and failed, or a
// seed whose violation was printed. What could not begin, ran out of time or crashed proves nothing: it is broken, and
// never a catch.

export type Outcome =
  | { readonly kind: 'survived' }
  | {
      readonly kind: 'caught';
      /** The test file, or "simulation". */
      readonly where: string;
      /** The test's whole name, or the seed. */
      readonly by: string;
      /** The first line of what it said. */
      readonly says: string;
    }
  | { readonly kind: 'broken'; readonly why: string };

/** A process that has ended, or was ended. */
export interface ProcessResult {
  /** Null: a signal ended it. */
  readonly code: number | null;
  readonly tookTooLong: boolean;
  readonly output: string;
  /** Vitest's own report, as text; null: it wrote none. */
  readonly report: string | null;
}

interface Report {
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

const SHOWN = 200;
/** A busy machine says these too, with no bug at all. */
const SUSPICIOUS = /timed? ?-?out|ECONNREFUSED|ECONNRESET|EADDRINUSE|EPIPE|\bhook\b|Connection terminated/i;

function firstLine(text: string | undefined): string {
  const lines = (text ?? '').split('\n').map((line) => line.trim());
  return (lines.find((line) => line !== '') ?? 'it said nothing').slice(0, SHOWN);
}

const last = (output: string): string => output.trimEnd().split('\n').slice(-12).join('\n');

/** Of what a run of vitest left behind. */
export function readTests(ran: ProcessResult): Outcome {
  if (ran.tookTooLong) return { kind: 'broken', why: 'the tests took too long and were ended' };
  if (ran.code === 0) return { kind: 'survived' };
  const ended = `the tests ended with ${ran.code ?? 'a signal'}`;
  if (ran.report === null) return { kind: 'broken', why: `${ended} and left no report:\n${last(ran.output)}` };
  const { testResults } = JSON.parse(ran.report) as Report;
  // Files that were given up because another had failed are listed too, as passed and without a test: only what failed counts.
  for (const { name, assertionResults } of testResults) {
    const failed = assertionResults.find(({ status }) => status === 'failed');
    if (failed === undefined) continue;
    return { kind: 'caught', where: placeOf(name), by: failed.fullName, says: firstLine(failed.failureMessages?.[0]) };
  }
  const [inLogs] = /^logs: .* no log may hold.*/m.exec(ran.output) ?? [];
  if (inLogs !== undefined) return { kind: 'caught', where: 'test/logs/setup.ts', by: 'every log line', says: inLogs };
  const unbegun = testResults.find(({ status }) => status === 'failed');
  if (unbegun === undefined) return { kind: 'broken', why: `${ended}, and none had failed:\n${last(ran.output)}` };
  return { kind: 'broken', why: `${placeOf(unbegun.name)} could not begin: ${firstLine(unbegun.message)}` };
}

function placeOf(file: string): string {
  return file.slice(file.lastIndexOf('/test/') + 1);
}

/** Of what the simulation has printed. */
export function readSimulation(ran: ProcessResult): Outcome {
  if (ran.tookTooLong) return { kind: 'broken', why: 'the simulation took too long and was ended' };
  if (ran.code === 0) return { kind: 'survived' };
  const [, seed, violation] = /^seed (\d+): (.*)$/m.exec(ran.output) ?? [];
  if (seed === undefined) {
    const why = `the simulation ended with ${ran.code ?? 'a signal'} and named no seed:\n${last(ran.output)}`;
    return { kind: 'broken', why };
  }
  return { kind: 'caught', where: 'simulation', by: `seed ${seed}`, says: firstLine(violation) };
}

/** Whether it must be seen to fail again with the bug, and to pass without it, before it counts. */
export function isSuspicious(outcome: Outcome): boolean {
  return outcome.kind === 'caught' && SUSPICIOUS.test(outcome.says);
}
