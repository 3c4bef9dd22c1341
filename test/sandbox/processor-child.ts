// The processor's own process for tests: what `everyshare processor` will be.

import { runProcessor } from '../../sandbox/processor/process-main.ts';

process.exitCode = await runProcessor(process.env);
