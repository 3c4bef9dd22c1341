// Reads the body of a request up to its limit. The rest of a body that is too large is read and discarded, so that the
// client can finish sending and read the 413. A compressed body is refused with 415 after that.

import type { IncomingMessage } from 'node:http';
import { Problem } from '../base/errors.ts';
import { encodingProblem } from './request-headers.ts';

export function tooLarge(limit: number): Problem {
  const size = limit >= 1_048_576 ? `${limit / 1_048_576} MB` : `${limit / 1024} KB`;
  return new Problem('payload_too_large', { message: `The body is larger than ${size}.` });
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
    stream.on('end', () => {
      const encoded = encodingProblem(stream);
      if (encoded !== null) reject(encoded);
      else resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks));
    });
    stream.on('error', reject);
    stream.on('aborted', () =>
      reject(new Problem('malformed_request', { message: 'The connection ended before the body did.' })),
    );
  });
}
