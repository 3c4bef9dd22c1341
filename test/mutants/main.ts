// npm run mutants [-- --only WORDS]... [--json]: plants each known bug of list.ts, one at a time, in a copy of the tree, and asks
// its tests, or the simulation, whether they notice. The report (.mutants/report.md, report.json; with --only: chosen.md, chosen.json) names the test that caught each
// and what it said. Ends with 1 when one survives, when one is broken (the bug cannot be planted, its tests cannot begin, run out
// of time or crash), or when the tests fail without any.

import { parseArgs } from 'node:util';
import { failingWithoutBugs, judge, type Verdict } from './judge.ts';
import { MUTANTS } from './list.ts';
import { inWords, isClean, lineOf, summaryOf, writeReport } from './report.ts';
import { Tree } from './tree.ts';

const { values } = parseArgs({
  options: { only: { type: 'string', multiple: true }, json: { type: 'boolean', default: false } },
});

function say(text: string): void {
  if (!values.json) process.stdout.write(`${text}\n`);
}

async function main(tree: Tree): Promise<number> {
  const only = values.only ?? [''];
  const chosen = MUTANTS.filter(({ area, bug }) => only.some((words) => `${area}: ${bug}`.includes(words)));
  say(`${chosen.length} bugs to plant, one at a time, in a copy of the tree`);
  const verdicts: Verdict[] = [];
  const failsAnyway = await failingWithoutBugs(tree, chosen);
  let summary = summaryOf(chosen.length, verdicts, failsAnyway);
  const report = values.only === undefined ? 'report' : 'chosen';
  writeReport(report, summary, verdicts);
  for (const mutant of failsAnyway === null ? chosen : []) {
    const verdict = await judge(tree, mutant);
    verdicts.push(verdict);
    say(lineOf(verdict));
    summary = summaryOf(chosen.length, verdicts, failsAnyway);
    writeReport(report, summary, verdicts);
  }
  if (values.json) process.stdout.write(`${JSON.stringify({ ...summary, verdicts })}\n`);
  say(inWords(summary));
  return isClean(summary) ? 0 : 1;
}

const tree = new Tree();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void tree.close().finally(() => process.exit(1)));
}
try {
  process.exitCode = await main(tree);
} finally {
  await tree.close();
}
