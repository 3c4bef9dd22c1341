// Installs a browser before the tests of the pages, if the machine has none and can install one.

import { installBrowser } from '../pages/browser.ts';
import { oncePerRun } from './once-per-run.ts';

export default async function setup(): Promise<() => Promise<void>> {
  const { release } = await oncePerRun('browser', installBrowser, () => undefined);
  return release;
}
