// Runs the built program with V8's code cache of an earlier run, because compilation is the slowest part of a start.
// The cache file lies beside the bundle; its name contains the bundle's name (a content hash), the Node version and the
// role. A damaged or rejected cache is created again. If it cannot be written, the program runs without one.

import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { constants, Script } from 'node:vm';
import { crc32 } from 'node:zlib';

const ROLES = ['start', 'serve', 'worker', 'processor'];
const STORE_DELAY_MS = 250;
const CHECKSUM_BYTES = 4;

export function load(url) {
  tuneHeap();
  const file = fileURLToPath(url);
  const role = ROLES.includes(process.argv[2]) ? process.argv[2] : 'command';
  // V8 flags change the compiled code, so a process with flags uses no cache.
  const isPlain = process.execArgv.length === 0 && process.env.NODE_OPTIONS === undefined;
  const path = isPlain ? `${file}.${process.version}-${process.arch}-${role}.cache` : null;
  const cached = path === null ? undefined : read(path);
  // One byte for each character, which V8 compiles faster. build.js lets no other text pass.
  const script = new Script(readFileSync(file, 'latin1'), {
    filename: file,
    cachedData: cached,
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  if (path !== null && (cached === undefined || script.cachedDataRejected === true)) storeLater(script, path, role);
  script.runInThisContext()(createRequire(file), file);
}

/**
 * Lets the heap grow to four times its live size (about 100 MB) before V8 marks all of it; Node's own limit stays.
 * Request bodies are off-heap and short-lived: a cheap young-generation collection, which runs every 32 MB, frees them.
 * By default V8 starts to mark the whole heap slightly earlier, so a server of large bodies does little else
 * (docs/performance.md, hook-intake). The young generation grows to its full size in one step; by doubling, a start
 * would fill it six times. Called before anything is compiled, because these flags are part of the cache's key.
 */
function tuneHeap() {
  setFlagsFromString('--heap-growing-percent=300');
  setFlagsFromString('--semi-space-growth-factor=8');
}

/** An unreadable cache counts as absent: it is created again, and write() reports why it cannot be stored. */
function read(path) {
  try {
    const bytes = readFileSync(path);
    const data = bytes.subarray(CHECKSUM_BYTES);
    return bytes.length > CHECKSUM_BYTES && bytes.readUInt32BE(0) === crc32(data) ? data : undefined;
  } catch {
    return undefined;
  }
}

/**
 * A long-running role stores the cache when it is ready: it then holds the functions that a start needs, and no more. A
 * start that fails stores nothing, because its cache would be incomplete. A command stores the cache when it exits.
 */
function storeLater(script, path, role) {
  const store = () => write(path, script.createCachedData());
  if (role === 'command') process.once('exit', store);
  else process.once('everyshare:ready', () => setTimeout(store, STORE_DELAY_MS).unref());
}

/** Codes that mean that the folder cannot be written or no longer exists. */
const NOT_WRITABLE_CODES = ['EACCES', 'EPERM', 'EROFS', 'ENOSPC', 'EDQUOT', 'ENOENT'];

/**
 * Replaces the file atomically, also across a power loss. A failure never stops the server; unexpected ones are
 * printed.
 */
function write(path, data) {
  const temporary = `${path}.${process.pid}`;
  try {
    const checksum = Buffer.alloc(CHECKSUM_BYTES);
    checksum.writeUInt32BE(crc32(data));
    const handle = openSync(temporary, 'w');
    try {
      writeSync(handle, checksum);
      writeSync(handle, data);
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
    renameSync(temporary, path);
  } catch (error) {
    if (NOT_WRITABLE_CODES.includes(error.code)) return;
    process.stderr.write(`everyshare: the next start will be slower, ${path} could not be written: ${error.message}\n`);
  } finally {
    rmSync(temporary, { force: true });
  }
}
