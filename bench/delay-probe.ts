// Loaded into a server before anything else (node --import): measures how long one turn of its event loop takes, and
// tells the bench on request. Where the system says how much processor time the thread had (Linux), that counts, so that
// other processes of a busy machine do not. It changes nothing else, and does not keep the process running.

import { closeSync, openSync, readSync } from 'node:fs';

const INTERVAL_MS = 1;

/** Milliseconds of the main thread, whose id is that of the process. */
function makeThreadClock(): () => number {
  try {
    const file = openSync(`/proc/self/task/${process.pid}/schedstat`, 'r');
    const bytes = Buffer.alloc(64);
    const read = (): number => Number(bytes.toString('latin1', 0, readSync(file, bytes, 0, 64, 0)).split(' ')[0]) / 1e6;
    if (read() > 0) return read;
    closeSync(file);
  } catch {
    // Not Linux: the time that passes is the next best.
  }
  return () => performance.now();
}

const now = makeThreadClock();
let longest = 0;
let before = now();

setInterval(() => {
  const at = now();
  longest = Math.max(longest, at - before);
  before = now();
}, INTERVAL_MS).unref();

/** `reset` begins a measurement; any other message asks for the longest turn since then, in milliseconds. */
process.on('message', (question) => {
  if (question === 'reset') {
    longest = 0;
    process.send?.({ result: null });
    return;
  }
  // A turn that is running counts once the timer has fired after it.
  setTimeout(() => process.send?.({ result: longest }), 4 * INTERVAL_MS);
});
process.channel?.unref();
