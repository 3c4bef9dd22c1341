// Loaded into a process of the service before anything else (node --import). On request of the fuzzer it returns the
// memory in use after a full garbage collection, without compiled code, which grows for a hundred thousand requests and
// then stops. It changes nothing else, and does not keep the process running.

import { getHeapCodeStatistics } from 'node:v8';

process.on('message', (question) => {
  if (question !== 'memory') return;
  globalThis.gc();
  const { heapUsed, external, rss } = process.memoryUsage();
  const { code_and_metadata_size: code, bytecode_and_metadata_size: bytecode } = getHeapCodeStatistics();
  process.send({ heap: heapUsed + external - code - bytecode, rss });
});
process.channel?.unref();
