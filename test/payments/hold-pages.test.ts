// The pages of the processor's holds have a bound.

import { expect, it } from 'vitest';
import { holdPages } from '../../src/domain/payments/hold-pages.ts';

it('holdPages ends with an error when the processor’s list has no end', async () => {
  const processor = { holdsSince: async () => ({ holds: [], next: 'same' }) };
  const readAll = async () => {
    for await (const holds of holdPages(processor, 0)) if (holds.length > 0) throw new Error('there are no holds');
  };
  await expect(readAll()).rejects.toThrow(
    'the processor listed more than 100000 pages of holds since 1970-01-01T00:00:00.000Z',
  );
});
