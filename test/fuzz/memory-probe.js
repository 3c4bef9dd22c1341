// Loaded into a process of the service before anything else (node --import): tells the fuzzer, when it asks, how much memory is left in use
// after a full garbage collection. It changes nothing else, and holds nothing open.

process.on('message', (question) => {
  if (question !== 'memory') return;
  globalThis.gc();
  const { heapUsed, external, rss } = process.memoryUsage();
  process.send({ heap: heapUsed + external, rss });
});
process.channel?.unref();
