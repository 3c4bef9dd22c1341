// Runs the whole story of a payment against the card processor in test mode, step by step, and compares each answer with
// what this service relies on. The steps use the adapter that the service uses. A step that fails never stops the others,
// unless they need its result; then they are reported as not run. At the end everything is taken back that can be, also
// what a failed step has made, and the rest is named. Nothing here touches the database.

import { checkCapture, checkDispute, checkLateRefunds, checkVenue } from './check-charges.ts';
import { cleanUp } from './check-clean-up.ts';
import { checkHolds, checkRelease } from './check-holds.ts';
import { CheckRun, type ProcessorCheck, type ProcessorCheckOptions } from './check-run.ts';

export async function checkProcessor(options: ProcessorCheckOptions): Promise<ProcessorCheck> {
  if (options.processor.mode !== 'test') throw new Error('the check never runs in live mode');
  const run = new CheckRun(options);
  const { held, renewed } = await checkHolds(run);
  const captured = await checkCapture(run, held);
  await checkVenue(run, captured);
  await checkLateRefunds(run);
  await checkDispute(run);
  await checkRelease(run, renewed);
  await cleanUp(run);
  return { steps: run.steps, left: run.left };
}
