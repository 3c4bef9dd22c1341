// What build.js gives to the tests that run the built package.

import type { BuildOptions } from 'esbuild';

export function buildSdk(): Promise<void>;
export const BUNDLE_OPTIONS: BuildOptions;
