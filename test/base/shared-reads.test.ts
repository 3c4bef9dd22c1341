// Equal reads share a question, and nobody gets an answer that is older than their call.

import { describe, expect, it } from 'vitest';
import { SharedReads } from '../../src/base/shared-reads.ts';

describe('equal reads at once', () => {
  it('share the next question, never one that was sent before they came', async () => {
    const reads = new SharedReads<number>();
    const open: (() => void)[] = [];
    let asked = 0;
    const read = (): Promise<number> => {
      const mine = ++asked;
      return new Promise((resolve) => open.push(() => resolve(mine)));
    };
    const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
    const first = [reads.ask('a', read), reads.ask('a', read)];
    await turn();
    expect(asked).toBe(1);
    const late = [reads.ask('a', read), reads.ask('a', read), reads.ask('a', read)];
    const other = reads.ask('b', read);
    await turn();
    expect(asked).toBe(2);
    open.shift()?.();
    expect(await Promise.all(first)).toEqual([1, 1]);
    await turn();
    expect(asked).toBe(3);
    for (const one of open) one();
    expect(await Promise.all(late)).toEqual([3, 3, 3]);
    expect(await other).toBe(2);
  });

  it('are asked again after a failure, and each who shared it is told', async () => {
    const reads = new SharedReads<number>();
    const gone = (): Promise<number> => Promise.reject(new Error('gone'));
    const told = await Promise.allSettled([reads.ask('a', gone), reads.ask('a', async () => 7)]);
    expect(told.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await reads.ask('a', async () => 8)).toBe(8);
  });
});
