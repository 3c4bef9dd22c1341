#!/usr/bin/env node
// Runs the built program, building it first when it is missing or older than the sources. Where nothing can be built, because esbuild
// is not installed or nothing may be written, what was built before runs, and says so.

import { existsSync } from 'node:fs';
import { build, isCurrent } from '../build.js';

const CANNOT_BUILD = ['ERR_MODULE_NOT_FOUND', 'EROFS', 'EACCES', 'EPERM'];
const main = new URL('../dist/main.js', import.meta.url);

if (!isCurrent()) {
  try {
    await build();
  } catch (error) {
    if (!CANNOT_BUILD.includes(error.code) || !existsSync(main)) throw error;
    process.stderr.write(
      `everyshare: older than its sources, and cannot be built anew here (${error.code}): npm run build\n`,
    );
  }
}
await import(main);
