// The delivery loop looks for due queues as soon as dispatch says that there are new deliveries, and otherwise by a timer.

import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { deliverUntilStopped } from '../../src/domain/webhooks/deliveries/deliver.ts';
import { DispatchSignal } from '../../src/domain/webhooks/deliveries/dispatch-signal.ts';
import type { QueueServices } from '../../src/domain/webhooks/deliveries/endpoint-queue.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('looks at once for each notification of dispatch, without a timer', async () => {
  let looks = 0;
  const query = async (): Promise<never[]> => {
    looks++;
    return [];
  };
  const dispatchSignal = new DispatchSignal();
  const services = { db: { query }, clock: systemClock, dispatchSignal } as unknown as QueueServices;
  const stop = new AbortController();
  const running = deliverUntilStopped(services, stop.signal);
  for (let expected = 1; expected <= 4; expected++) {
    await vi.waitFor(() => expect(looks).toBe(expected));
    dispatchSignal.notify();
  }
  await vi.waitFor(() => expect(looks).toBe(5));
  stop.abort();
  expect(await running).toBe(0);
});
