// POST /v1/public/sign_in and /v1/public/sign_in/verify, as operations.

import type { SignIn, SignInVerify } from '../../../schemas/types.gen.ts';
import type { Answer, Input } from '../../base/operation.ts';
import type { Stranger } from './guest.ts';
import { beginSignIn, finishSignIn, type SignInParts } from './sign-in.ts';
import { TOKEN_SECONDS, type Tokens } from './tokens.ts';

export async function signIn(parts: SignInParts, stranger: Stranger, input: Input<SignIn>): Promise<Answer> {
  return { status: 200, body: await beginSignIn(parts, input.body, stranger.strangerAt, stranger.language) };
}

export async function verifySignIn(
  parts: SignInParts & { readonly tokens: Tokens },
  stranger: Stranger,
  input: Input<SignInVerify>,
): Promise<Answer> {
  const { id, displayName } = await finishSignIn(parts, input.body, stranger.language);
  const token = await parts.tokens.sign(id);
  return { status: 200, body: { token, expires_in: TOKEN_SECONDS, member: { id, display_name: displayName } } };
}
