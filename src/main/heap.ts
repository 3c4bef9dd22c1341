// How much a long-running process may leave lying before V8 marks the whole heap. Bodies lie outside of it and die young: a cheap
// collection of what is young frees them, and it comes by itself after 32 MB. By its own reckoning V8 begins to mark the whole
// heap a little earlier than that, so that a server of large bodies does nothing else. (docs/performance.md, hook-intake.)

import { setFlagsFromString } from 'node:v8';

/** The heap may grow to four times what lives in it, some 100 MB, before it is marked; the limit of Node stays what it is. */
export function letHeapGrow(): void {
  setFlagsFromString('--heap-growing-percent=300');
}
