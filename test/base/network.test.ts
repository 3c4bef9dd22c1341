// How a caller's network address is counted, and how it is shown.

import { describe, expect, it } from 'vitest';
import { maskAddress, networkOf } from '../../src/base/network.ts';

describe('an address', () => {
  it('is shown without its last part', () => {
    expect(maskAddress('203.0.113.7')).toBe('203.0.113.…');
    expect(maskAddress('::ffff:203.0.113.7')).toBe('203.0.113.…');
    expect(maskAddress('2001:db8:1:2::3')).toBe('2001:db8:1:…');
    expect(maskAddress('::1')).toBe('0:0:0:…');
    expect(maskAddress('unknown')).toBe('…');
  });

  it('counts as itself, or as its first 64 bits', () => {
    expect(networkOf('203.0.113.7')).toBe('203.0.113.7');
    expect(networkOf('2001:db8:1:2::3')).toBe('2001:db8:1:2::/64');
  });
});
