#!/usr/bin/env node
// Runs the built program, building it first when it is missing or older than the sources.

import { build, isCurrent } from '../build.js';

if (!isCurrent()) await build();
await import('../dist/main.js');
