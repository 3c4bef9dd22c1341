// The processor time that PostgreSQL servers have used, from /proc. It needs Linux, and other work of the machine hardly
// changes it.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Of the children that have ended, in /proc/PID/stat. Linux counts in hundredths of a second for every program. */
const TICKS_PER_SECOND = 100;

/** Of all processes of these servers, living and ended. */
export function processorSeconds(postmasters: readonly number[]): number {
  let seconds = 0;
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const fields = readProcess(name, 'stat')
      .replace(/^.*\) /, '')
      .split(' ');
    const isServer = postmasters.includes(Number(name));
    if (!isServer && !postmasters.includes(Number(fields[1]))) continue;
    const nanoseconds = Number(readProcess(name, 'schedstat').split(' ')[0]);
    const endedTicks = isServer ? Number(fields[13]) + Number(fields[14]) : 0;
    seconds += nanoseconds / 1e9 + endedTicks / TICKS_PER_SECOND;
  }
  return seconds;
}

/** Empty: the process has ended. */
function readProcess(pid: string, file: string): string {
  try {
    return readFileSync(join('/proc', pid, file), 'utf8').trim();
  } catch {
    return '';
  }
}
