// A browser with a passkey, in software: ES256 keys of node:crypto, and the CBOR of the attestation "none" written by hand.
// It does what navigator.credentials does, and does it wrongly where a test asks for that.

import { createHash, createSign, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';

interface CreationOptions {
  readonly rp: { readonly id: string };
  readonly user: { readonly id: string };
  readonly challenge: string;
  readonly excludeCredentials: readonly { readonly id: string }[];
}

interface RequestOptions {
  readonly rpId: string;
  readonly challenge: string;
  readonly allowCredentials: readonly { readonly id: string }[];
}

/** Parts of an answer that are not what they should be. */
export interface Faults {
  readonly origin?: string;
  readonly crossOrigin?: boolean;
  readonly challenge?: string;
  readonly rpId?: string;
  readonly type?: string;
  readonly counter?: number;
  readonly isUserVerified?: boolean;
  readonly userHandle?: string | null;
  readonly key?: KeyObject;
  readonly attestation?: Buffer;
}

const PRESENT = 0x01;
const VERIFIED = 0x04;
const BACKUP_ELIGIBLE_AND_BACKED_UP = 0x18;
const HAS_KEY = 0x40;

const base64url = (bytes: Buffer): string => bytes.toString('base64url');
const sha256 = (data: string | Buffer): Buffer => createHash('sha256').update(data).digest();

/** A CBOR text of at most 23 characters, and bytes of at most 65,535. */
const cborText = (text: string): Buffer => Buffer.concat([Buffer.from([0x60 + text.length]), Buffer.from(text)]);
function cborBytes(bytes: Buffer): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(bytes.length);
  return Buffer.concat([Buffer.from([0x59]), length, bytes]);
}

/** The public key as COSE writes it: an EC2 key of P-256 for ES256. */
function coseKey(key: KeyObject): Buffer {
  const { x = '', y = '' } = key.export({ format: 'jwk' });
  const coordinate = (text: string): Buffer => Buffer.concat([Buffer.from([0x58, 32]), Buffer.from(text, 'base64url')]);
  const head = Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21]);
  return Buffer.concat([head, coordinate(x), Buffer.from([0x22]), coordinate(y)]);
}

export const NO_ATTESTATION = Buffer.concat([
  cborText('fmt'),
  cborText('none'),
  cborText('attStmt'),
  Buffer.from([0xa0]),
]);

/** A statement with a certificate, as makers of security keys sign it. */
export const CERTIFIED_ATTESTATION = Buffer.concat([
  ...[cborText('fmt'), cborText('packed'), cborText('attStmt'), Buffer.from([0xa3])],
  ...[cborText('alg'), Buffer.from([0x26]), cborText('sig'), cborBytes(Buffer.alloc(70, 1))],
  ...[cborText('x5c'), Buffer.from([0x81]), cborBytes(Buffer.alloc(300, 2))],
]);

export class SoftwareAuthenticator {
  readonly id = base64url(randomBytes(32));
  readonly key = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  readonly #origin: string;
  readonly #counts: boolean;
  #userHandle = '';
  #counter = 0;

  /** `counts`: false for one that always says 0, as passkeys that are synced do. */
  constructor(origin: string, counts = true) {
    this.#origin = origin;
    this.#counts = counts;
  }

  /** As COSE writes it. */
  get publicKey(): Buffer {
    return coseKey(this.key.publicKey);
  }

  create(options: CreationOptions, faults: Faults = {}): object {
    if (options.excludeCredentials.some(({ id }) => id === this.id)) throw new Error('InvalidStateError');
    this.#userHandle = options.user.id;
    const id = Buffer.from(this.id, 'base64url');
    const idLength = Buffer.alloc(2);
    idLength.writeUInt16BE(id.length);
    const attested = Buffer.concat([Buffer.alloc(16), idLength, id, this.publicKey]);
    const authData = this.#authenticatorData(options.rp.id, faults, attested);
    const statement = faults.attestation ?? NO_ATTESTATION;
    const attestation = Buffer.concat([Buffer.from([0xa3]), statement, cborText('authData'), cborBytes(authData)]);
    return this.#credential({
      clientDataJSON: base64url(this.#clientData('webauthn.create', options.challenge, faults)),
      attestationObject: base64url(attestation),
      transports: ['internal', 'hybrid'],
      publicKeyAlgorithm: -7,
    });
  }

  get(options: RequestOptions, faults: Faults = {}): object {
    const isAllowed =
      options.allowCredentials.length === 0 || options.allowCredentials.some(({ id }) => id === this.id);
    if (!isAllowed) throw new Error('NotAllowedError');
    if (this.#counts) this.#counter++;
    const authData = this.#authenticatorData(options.rpId, faults, null);
    const clientData = this.#clientData('webauthn.get', options.challenge, faults);
    const signature = createSign('sha256')
      .update(Buffer.concat([authData, sha256(clientData)]))
      .sign(faults.key ?? this.key.privateKey);
    const handle = faults.userHandle === undefined ? this.#userHandle : faults.userHandle;
    return this.#credential({
      clientDataJSON: base64url(clientData),
      authenticatorData: base64url(authData),
      signature: base64url(signature),
      ...(handle === null ? {} : { userHandle: handle }),
    });
  }

  #clientData(type: string, challenge: string, faults: Faults): Buffer {
    const { origin = this.#origin, crossOrigin = false } = faults;
    const data = { type: faults.type ?? type, challenge: faults.challenge ?? challenge, origin, crossOrigin };
    return Buffer.from(JSON.stringify(data));
  }

  #authenticatorData(rpId: string, faults: Faults, attested: Buffer | null): Buffer {
    const { isUserVerified = true, counter = this.#counter } = faults;
    const head = Buffer.alloc(5);
    head[0] =
      PRESENT |
      (isUserVerified ? VERIFIED : 0) |
      (this.#counts ? 0 : BACKUP_ELIGIBLE_AND_BACKED_UP) |
      (attested === null ? 0 : HAS_KEY);
    head.writeUInt32BE(counter, 1);
    return Buffer.concat([sha256(faults.rpId ?? rpId), head, attested ?? Buffer.alloc(0)]);
  }

  #credential(response: object): object {
    return { id: this.id, rawId: this.id, type: 'public-key', response, clientExtensionResults: {} };
  }
}
