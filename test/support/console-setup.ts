// Builds the console once for a run of the tests: every test server serves it.

import { buildConsole } from '../../build.js';
import { oncePerRun } from './once-per-run.ts';

export default async function setup(): Promise<() => Promise<void>> {
  const { release } = await oncePerRun('console', buildConsole, () => undefined);
  return release;
}
