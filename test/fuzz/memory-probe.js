// Loaded into a process of the service before anything else (node --import): tells the fuzzer, when it asks, how much memory is left in use
// after a full garbage collection, without what the compiler made: that grows for a hundred thousand requests, and ends by itself.
// It changes nothing else, and holds nothing open.

import { getHeapCodeStatistics } from 'node:v8';

process.on('message', (question) => {
  if (question !== 'memory') return;
  globalThis.gc();
  const { heapUsed, external, rss } = process.memoryUsage();
  const { code_and_metadata_size: code, bytecode_and_metadata_size: bytecode } = getHeapCodeStatistics();
  process.send({ heap: heapUsed + external - code - bytecode, rss });
});
process.channel?.unref();
