// The hash under which a token is stored, and by which equal contents are known.

import { createHash } from 'node:crypto';

export function sha256(content: string | Buffer): Buffer {
  return createHash('sha256').update(content).digest();
}
