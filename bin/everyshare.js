#!/usr/bin/env node
// Runs the built program, building it first if it is missing or older than the sources. If it cannot be built, because
// esbuild is not installed or the folder is read-only, the older build runs, with a warning.

import { existsSync } from 'node:fs';
import { build, isCurrent } from '../build.js';

const BUILD_IMPOSSIBLE_CODES = ['ERR_MODULE_NOT_FOUND', 'EROFS', 'EACCES', 'EPERM'];
const main = new URL('../dist/main.js', import.meta.url);

if (!isCurrent()) {
  try {
    await build();
  } catch (error) {
    if (!BUILD_IMPOSSIBLE_CODES.includes(error.code) || !existsSync(main)) throw error;
    process.stderr.write(
      `everyshare: the build is older than the sources and cannot be rebuilt here (${error.code}): npm run build\n`,
    );
  }
}
await import(main);
