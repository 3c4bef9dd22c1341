// The processor's own process for tests: what `everyshare processor` will be.

import { runProcessor } from '../../sandbox/processor/own-process.ts';

process.exitCode = await runProcessor(process.env);
