// Reads a request's body up to its limit and no further. A body that is too large is not kept: what still comes is
// thrown away by Node, so that a client can finish sending and read its 413.

import type { IncomingMessage } from 'node:http';
import { Problem } from '../base/errors.ts';

export function tooLarge(limit: number): Problem {
  const shown = limit >= 1_048_576 ? `${limit / 1_048_576} MB` : `${limit / 1024} KB`;
  return new Problem('payload_too_large', { message: `The body is larger than ${shown}.` });
}

export function readBody(stream: IncomingMessage, limit: number): Promise<Buffer> {
  if (Number(stream.headers['content-length'] ?? 0) > limit) return Promise.reject(tooLarge(limit));
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const onData = (chunk: Buffer): void => {
      size += chunk.length;
      if (size <= limit) {
        chunks.push(chunk);
        return;
      }
      stream.off('data', onData);
      stream.resume();
      reject(tooLarge(limit));
    };
    stream.on('data', onData);
    stream.on('end', () => resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks)));
    stream.on('error', reject);
    stream.on('aborted', () =>
      reject(new Problem('malformed_request', { message: 'The connection ended before the body did.' })),
    );
  });
}
