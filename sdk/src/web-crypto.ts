// WebCrypto of every runtime. Node 18 has it, but not as a global: there it is loaded by a name that bundlers do not follow.

type Crypto = typeof globalThis.crypto;

let loaded: Promise<Crypto> | null = null;

export function webCrypto(): Promise<Crypto> {
  loaded ??= globalThis.crypto === undefined ? loadFromNode() : Promise.resolve(globalThis.crypto);
  return loaded;
}

/** A parameter, because bundlers follow the name where they see it in the call. */
async function loadFromNode(name = 'crypto'): Promise<Crypto> {
  return ((await import(name)) as { readonly webcrypto: Crypto }).webcrypto;
}

/** 32 hex digits. */
export async function randomHex(): Promise<string> {
  return toHex((await webCrypto()).getRandomValues(new Uint8Array(16)));
}

export function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
