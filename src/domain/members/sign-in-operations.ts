// POST /v1/public/sign_in and /v1/public/sign_in/verify, as operations.

import type { SignIn, SignInVerify } from '../../../schemas/types.gen.ts';
import type { Input, OperationResult } from '../../base/operation.ts';
import type { AnonymousCaller } from './guest.ts';
import { beginSignIn, finishSignIn, type SignInServices } from './sign-in.ts';
import { TOKEN_SECONDS } from './token-keys.ts';
import type { Tokens } from './tokens.ts';

export async function signIn(
  services: SignInServices,
  caller: AnonymousCaller,
  input: Input<SignIn>,
): Promise<OperationResult> {
  return { status: 200, body: await beginSignIn(services, input.body, caller.address, caller.language) };
}

export async function verifySignIn(
  services: SignInServices & { readonly tokens: Tokens },
  caller: AnonymousCaller,
  input: Input<SignInVerify>,
): Promise<OperationResult> {
  const { id, displayName } = await finishSignIn(services, input.body, caller.language);
  const token = await services.tokens.sign(id);
  return { status: 200, body: { token, expires_in: TOKEN_SECONDS, member: { id, display_name: displayName } } };
}
