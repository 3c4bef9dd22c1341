// Passkeys in the browser: made, used to sign in, and used to confirm. The package is loaded when it is first needed.

import { accountClient } from './api.ts';
import type { ConsoleSignedIn, Passkey } from './types.gen.ts';

export const canUsePasskeys = (): boolean => 'PublicKeyCredential' in globalThis;

/** Passkeys belong to a domain name; 127.0.0.1 has none, so this machine is called localhost. Null: they work here. */
export function passkeyAddress(): string | null {
  const { protocol, hostname, port } = location;
  return /^(127\.|\[::1\])/.test(hostname) ? `${protocol}//localhost${port && `:${port}`}/console` : null;
}

const load = () => import('@simplewebauthn/browser');

type CreationOptions = Parameters<Awaited<ReturnType<typeof load>>['startRegistration']>[0]['optionsJSON'];
type RequestOptions = Parameters<Awaited<ReturnType<typeof load>>['startAuthentication']>[0]['optionsJSON'];

export async function makePasskey(): Promise<Passkey> {
  const [{ startRegistration }, { public_key }] = await Promise.all([load(), accountClient.console.beginPasskey()]);
  const credential = await startRegistration({ optionsJSON: public_key as unknown as CreationOptions });
  return accountClient.console.addPasskey({ credential } as unknown as Parameters<
    typeof accountClient.console.addPasskey
  >[0]);
}

async function answerOf(begin: () => PromiseLike<{ readonly public_key: unknown }>) {
  const [{ startAuthentication }, { public_key }] = await Promise.all([load(), begin()]);
  const credential = await startAuthentication({ optionsJSON: public_key as RequestOptions });
  return { credential } as unknown as Parameters<typeof accountClient.console.verifyPasskeySignIn>[0];
}

export async function signInByPasskey(): Promise<ConsoleSignedIn> {
  const answer = await answerOf(() => accountClient.console.beginPasskeySignIn());
  return accountClient.console.verifyPasskeySignIn(answer);
}

export async function stepUpByPasskey(): Promise<void> {
  const answer = await answerOf(() => accountClient.console.beginPasskeyStepUp());
  await accountClient.console.verifyPasskeyStepUp(answer);
}

/** The person closed the browser's dialog, or it waited too long: no failure of ours. */
export const isPasskeyDismissed = (error: unknown): boolean =>
  error instanceof Error && ['NotAllowedError', 'AbortError'].includes(error.name);
