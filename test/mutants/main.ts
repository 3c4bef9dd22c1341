// npm run mutants [-- --only WORDS]... [--json]: plants each known bug of list.ts, one at a time, in a copy of the
// repository, and runs its tests or the simulation. The report (.mutants/report.md and report.json; with --only
// chosen.md and chosen.json) names the test that caught each bug and its message. The exit code is 1 when a bug
// survives, when the tests fail without a bug, or when a bug is broken: it cannot be planted, or its tests cannot
// start, run out of time or crash.

import { parseArgs } from 'node:util';
import { MUTANTS } from './list.ts';
import { describeResult, isClean, summarize, summarySentence, writeReport } from './report.ts';
import { failureWithoutBugs, type MutantResult, runMutant } from './run-mutant.ts';
import { WorkingCopy } from './working-copy.ts';

const { values } = parseArgs({
  options: { only: { type: 'string', multiple: true }, json: { type: 'boolean', default: false } },
});

function print(text: string): void {
  if (!values.json) process.stdout.write(`${text}\n`);
}

async function main(copy: WorkingCopy): Promise<number> {
  const only = values.only ?? [''];
  const chosen = MUTANTS.filter(({ area, bug }) => only.some((text) => `${area}: ${bug}`.includes(text)));
  print(`${chosen.length} bugs to plant, one at a time, in a copy of the repository`);
  const results: MutantResult[] = [];
  const baselineFailure = await failureWithoutBugs(copy, chosen);
  let summary = summarize(chosen.length, results, baselineFailure);
  const report = values.only === undefined ? 'report' : 'chosen';
  writeReport(report, summary, results);
  for (const mutant of baselineFailure === null ? chosen : []) {
    const result = await runMutant(copy, mutant);
    results.push(result);
    print(describeResult(result));
    summary = summarize(chosen.length, results, baselineFailure);
    writeReport(report, summary, results);
  }
  if (values.json) process.stdout.write(`${JSON.stringify({ ...summary, results })}\n`);
  print(summarySentence(summary));
  return isClean(summary) ? 0 : 1;
}

const workingCopy = new WorkingCopy();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void workingCopy.close().finally(() => process.exit(1)));
}
try {
  process.exitCode = await main(workingCopy);
} finally {
  await workingCopy.close();
}
