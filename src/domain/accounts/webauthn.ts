// The WebAuthn standard: what a browser is asked, and whether its answer is right. It stores nothing. @simplewebauthn/server
// verifies answers; it is loaded at its first use, since loading it takes a third of a second.

import { isIP } from 'node:net';
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server';
import type { PasskeyAdd, PasskeyAnswer } from '../../../schemas/types.gen.ts';
import { conflict } from '../../base/errors.ts';

/** The service as browsers know it: a passkey works at this domain, and is accepted from this origin. */
export interface RelyingParty {
  readonly id: string;
  readonly origin: string;
}

const SERVICE_NAME = 'Everyshare';
export const CHALLENGE_SECONDS = 300;
/** EdDSA, ES256 and RS256. */
const ALGORITHMS = [-8, -7, -257];

const load = () => import('@simplewebauthn/server');

/** Throws 409 at an IP address: browsers have passkeys for domain names alone. */
export function relyingPartyAt(consoleUrl: string): RelyingParty {
  const { hostname, origin } = new URL(consoleUrl);
  if (isIP(hostname.replaceAll(/[[\]]/g, '')) === 0) return { id: hostname, origin };
  throw conflict(
    'passkeys_need_domain',
    'Passkeys need a domain name, and this service is at an IP address: the operator has to set BASE_URL. A code by mail works.',
  );
}

interface KnownCredential {
  readonly credentialId: Buffer;
  readonly transports: readonly string[];
}

const descriptors = (known: readonly KnownCredential[]) =>
  known.map(({ credentialId, transports }) => ({
    id: credentialId.toString('base64url'),
    transports: [...transports],
  }));

interface Person {
  readonly id: string;
  readonly email: string;
  readonly name: string | null;
}

/** The mail address is for the browser's own list; the account is named by its id. */
export async function creationOptions(
  { id: rpID }: RelyingParty,
  { id, email, name }: Person,
  challenge: Buffer,
  known: readonly KnownCredential[],
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const { generateRegistrationOptions } = await load();
  return generateRegistrationOptions({
    rpName: SERVICE_NAME,
    rpID,
    userID: Uint8Array.from(bytesOfUuid(id)),
    userName: email,
    userDisplayName: name ?? '',
    challenge: Uint8Array.from(challenge),
    timeout: CHALLENGE_SECONDS * 1_000,
    attestationType: 'none',
    excludeCredentials: descriptors(known),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    extensions: { credProps: true },
    supportedAlgorithmIDs: ALGORITHMS,
  });
}

/** With no known passkeys the person chooses one in the browser. */
export async function requestOptions(
  { id: rpID }: RelyingParty,
  challenge: Buffer,
  known: readonly KnownCredential[],
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const { generateAuthenticationOptions } = await load();
  return generateAuthenticationOptions({
    rpID,
    challenge: Uint8Array.from(challenge),
    timeout: CHALLENGE_SECONDS * 1_000,
    userVerification: 'required',
    allowCredentials: descriptors(known),
  });
}

export interface VerifiedCredential {
  readonly credentialId: Buffer;
  readonly publicKey: Buffer;
  readonly counter: number;
  readonly isSynced: boolean;
}

/** Throws with the reason if the answer is not right. */
export async function verifyCreation(
  rp: RelyingParty,
  credential: PasskeyAdd['credential'],
  challenge: string,
): Promise<VerifiedCredential> {
  const { verifyRegistrationResponse } = await load();
  await requireNoCertificates(credential.response.attestationObject);
  const { verified, registrationInfo } = await verifyRegistrationResponse({
    response: credential as unknown as RegistrationResponseJSON,
    expectedChallenge: challenge,
    expectedOrigin: rp.origin,
    expectedRPID: rp.id,
    requireUserVerification: true,
    supportedAlgorithmIDs: ALGORITHMS,
  });
  if (!verified) throw new Error('the attestation is not right');
  return {
    credentialId: Buffer.from(registrationInfo.credential.id, 'base64url'),
    publicKey: Buffer.from(registrationInfo.credential.publicKey),
    counter: registrationInfo.credential.counter,
    isSynced: registrationInfo.credentialBackedUp,
  };
}

/**
 * No certificate of a maker is asked for. One that is sent anyway is refused before it is read: the library would fetch the
 * list of revoked certificates from an address that the certificate names.
 */
async function requireNoCertificates(attestationObject: string): Promise<void> {
  const { decodeAttestationObject, isoBase64URL } = await import('@simplewebauthn/server/helpers');
  const decoded = decodeAttestationObject(isoBase64URL.toBuffer(attestationObject));
  const format: unknown = decoded.get('fmt');
  const isSelfSigned = format === 'packed' && decoded.get('attStmt').get('x5c') === undefined;
  if (format !== 'none' && !isSelfSigned) throw new Error('the attestation holds more than was asked for');
}

export interface VerifiedAnswer {
  readonly counter: number;
  readonly isSynced: boolean;
}

/** Throws with the reason if the answer is not right. The caller compares the counter, when it stores it. */
export async function verifyAnswer(
  rp: RelyingParty,
  credential: PasskeyAnswer['credential'],
  challenge: string,
  publicKey: Buffer,
): Promise<VerifiedAnswer> {
  const { verifyAuthenticationResponse } = await load();
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    response: credential as unknown as AuthenticationResponseJSON,
    expectedChallenge: challenge,
    expectedOrigin: rp.origin,
    expectedRPID: rp.id,
    requireUserVerification: true,
    credential: { id: credential.id, publicKey: Uint8Array.from(publicKey), counter: 0 },
  });
  if (!verified) throw new Error('the signature is not right');
  return { counter: authenticationInfo.newCounter, isSynced: authenticationInfo.credentialBackedUp };
}

/** What the browser says that it saw. Null: it is not readable. */
export interface ClientData {
  readonly challenge: string;
  readonly origin: string;
  readonly crossOrigin: boolean;
}

export function readClientData(base64url: string): ClientData | null {
  try {
    const data = JSON.parse(Buffer.from(base64url, 'base64url').toString('utf8')) as Partial<ClientData> | null;
    const { challenge, origin, crossOrigin } = data ?? {};
    if (typeof challenge !== 'string' || typeof origin !== 'string') return null;
    return { challenge, origin, crossOrigin: crossOrigin === true };
  } catch {
    return null; // No JSON: no browser has made this.
  }
}

function bytesOfUuid(uuid: string): Buffer {
  return Buffer.from(uuid.replaceAll('-', ''), 'hex');
}

/** Whether the passkey names this account. */
export function isHandleOf(userHandle: string, accountId: string): boolean {
  return userHandle === bytesOfUuid(accountId).toString('base64url');
}
