// The program of the processor's own process in tests, as `everyshare processor` is in the product.

import { runProcessor } from '../../sandbox/processor/process-main.ts';

process.exitCode = await runProcessor(process.env);
