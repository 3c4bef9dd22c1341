// Reports each call to the card processor: which one, how long it took, and whether the processor answered. For metrics
// and traces. It changes neither arguments nor results.

import type { Mode } from '../../base/config.ts';
import { type Processor, type Processors, ProcessorUnavailable } from './processor.ts';

export interface ProcessorCall {
  readonly mode: Mode;
  /** The method of the interface. */
  readonly name: string;
}

/** `refused` is an answer too: the processor works, and did not do what was asked. */
export type CallOutcome = 'answered' | 'refused' | 'unavailable';

/** Called when a call begins. What it returns is called when the call ends, with the error if there was one. */
export type ObserveCall = (call: ProcessorCall) => (outcome: CallOutcome, error: unknown) => void;

export function observeProcessors(processors: Processors, observe: ObserveCall): Processors {
  const observed: Partial<Record<Mode, Processor>> = {};
  for (const mode of ['test', 'live'] as const) {
    const processor = processors[mode];
    if (processor !== undefined) observed[mode] = observeProcessor(processor, observe);
  }
  return observed;
}

function observeProcessor(processor: Processor, observe: ObserveCall): Processor {
  return new Proxy(processor, {
    get(target, name: keyof Processor) {
      const member = target[name];
      if (typeof member !== 'function') return member;
      return async (...args: never[]): Promise<unknown> => {
        const end = observe({ mode: target.mode, name });
        try {
          const result = await (member as (...given: never[]) => Promise<unknown>).apply(target, args);
          end('answered', null);
          return result;
        } catch (error) {
          end(error instanceof ProcessorUnavailable ? 'unavailable' : 'refused', error);
          throw error;
        }
      };
    },
  });
}
