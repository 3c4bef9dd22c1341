// Bytes that a caller hands over.

/**
 * The bytes of a buffer or a view; null for every other value. `instanceof` would refuse those of another realm, such as
 * a test runner's or a frame's.
 */
export function bytesOf(value: unknown): Uint8Array | null {
  if (ArrayBuffer.isView(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  return Object.prototype.toString.call(value) === '[object ArrayBuffer]' ? new Uint8Array(value as ArrayBuffer) : null;
}
