// Runs the built program with what V8 made of it the last time: to compile it anew takes longer than anything else in a start.
// What is kept lies beside the bundle and is bound to it (its name carries its content), to the version of Node and to the role. What is
// damaged, or what V8 will not have, is made anew; where it cannot be written, the program starts as it would without it.

import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { constants, Script } from 'node:vm';
import { crc32 } from 'node:zlib';

const ROLES = ['start', 'serve', 'worker', 'processor'];
const SOON_MS = 250;
const SUM_BYTES = 4;

export function load(url) {
  letHeapGrow();
  const file = fileURLToPath(url);
  const role = ROLES.includes(process.argv[2]) ? process.argv[2] : 'command';
  // Flags of V8 change what it makes of a program: whoever sets some goes without.
  const isPlain = process.execArgv.length === 0 && process.env.NODE_OPTIONS === undefined;
  const place = isPlain ? `${file}.${process.version}-${process.arch}-${role}.cache` : null;
  const kept = place === null ? undefined : read(place);
  const script = new Script(readFileSync(file, 'latin1'), {
    filename: file,
    cachedData: kept,
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  if (place !== null && (kept === undefined || script.cachedDataRejected === true)) keepLater(script, place, role);
  script.runInThisContext()(createRequire(file), file);
}

/**
 * How much a process may leave lying before V8 marks the whole heap. Bodies lie outside of it and die young: a cheap collection of
 * what is young frees them, and it comes by itself after 32 MB. By its own reckoning V8 begins to mark the whole heap a little earlier
 * than that, so that a server of large bodies does nothing else (docs/performance.md, hook-intake). Now the heap may grow to four
 * times what lives in it, some 100 MB; the limit of Node stays what it is.
 * The room for what is young grows in one step to its full size instead of doubling: a start fills it six times on the way there.
 * Set before anything is compiled: they are among those flags.
 */
function letHeapGrow() {
  setFlagsFromString('--heap-growing-percent=300');
  setFlagsFromString('--semi-space-growth-factor=8');
}

/** What cannot be read is as good as absent: it is made anew, and writing it tells why it cannot be kept. */
function read(place) {
  try {
    const bytes = readFileSync(place);
    const data = bytes.subarray(SUM_BYTES);
    return bytes.length > SUM_BYTES && bytes.readUInt32BE(0) === crc32(data) ? data : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Whoever runs for long says when it is ready: what it has used by then is what the next start needs. What it uses later would have
 * to be read by every start, too; and of a start that failed too little is known. A command's is kept when it ends.
 */
function keepLater(script, place, role) {
  const keep = () => write(place, script.createCachedData());
  if (role === 'command') process.once('exit', keep);
  else process.once('everyshare:ready', () => setTimeout(keep, SOON_MS).unref());
}

/** The folder is not ours to write in, or is no longer there. */
const REFUSED = ['EACCES', 'EPERM', 'EROFS', 'ENOSPC', 'EDQUOT', 'ENOENT'];

/** Whole or not at all, also when the machine loses power. No server ends because of it: what else went wrong is told. */
function write(place, data) {
  const aside = `${place}.${process.pid}`;
  try {
    const sum = Buffer.alloc(SUM_BYTES);
    sum.writeUInt32BE(crc32(data));
    const handle = openSync(aside, 'w');
    try {
      writeSync(handle, sum);
      writeSync(handle, data);
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
    renameSync(aside, place);
  } catch (error) {
    if (REFUSED.includes(error.code)) return;
    process.stderr.write(`everyshare: the next start will be slower, ${place} could not be kept: ${error.message}\n`);
  } finally {
    rmSync(aside, { force: true });
  }
}
