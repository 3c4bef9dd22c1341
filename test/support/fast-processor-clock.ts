// Makes the processor's clock fast while some work runs: refunds of some test cards change half a minute after they were
// made, and a test does not wait for that.

import type { TestWorld } from './test-world.ts';

export async function withFastProcessorClock<T>(world: TestWorld, work: () => Promise<T>): Promise<T> {
  const timer = setInterval(() => {
    world.processorClock.aheadMs += 31_000;
  }, 200);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}
