// What is wrong with the answer of a passkey: 422 at /credential, with what to do.

import { invalid, type Problem } from '../../base/errors.ts';
import type { PasskeyPurpose } from './passkey-queries.ts';

const EXAMPLE_ID = 'q1NvbWUtYnl0ZXMtb2YtYS1wYXNza2V5';
const EXAMPLE = { id: EXAMPLE_ID, rawId: EXAMPLE_ID, type: 'public-key', clientExtensionResults: {} };
const EXAMPLE_OF_ADD = {
  ...EXAMPLE,
  response: {
    clientDataJSON: 'eyJ0eXBlIjoid2ViYXV0aG4uY3JlYXRlIn0',
    attestationObject: 'o2NmbXRkbm9uZWdhdHRTdG10oGhhdXRoRGF0YVgA',
  },
};
const EXAMPLE_OF_ANSWER = {
  ...EXAMPLE,
  response: {
    clientDataJSON: 'eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0',
    authenticatorData: 'SZYN5YgOjGh0NBcPZHZgW4_krrmihjLHmVzzuoMdl2MFAAAAAA',
    signature: 'MEUCIQDTGVxhrvi2n0a9',
    userHandle: 'AZfyxGoQfD6bHV8qjE59EA',
  },
};

function refused(purpose: PasskeyPurpose, message: string): Problem {
  return invalid([
    {
      code: 'invalid_value',
      field: '/credential',
      message,
      expected: 'the answer of a passkey to the newest challenge, as the browser gives it',
      example_fix: purpose === 'add' ? EXAMPLE_OF_ADD : EXAMPLE_OF_ANSWER,
    },
  ]);
}

const OTHER_WAY = 'A code by mail works too.';

export function notRight(purpose: PasskeyPurpose): Problem {
  const reasons = 'The answer of the passkey is not right, or the passkey did not ask for a finger, a face or a PIN.';
  return refused(purpose, `${reasons} Try again. ${OTHER_WAY}`);
}

export function challengeSpent(purpose: PasskeyPurpose): Problem {
  const reasons = 'This challenge was answered, is older than 5 minutes, or was for something else.';
  return refused(purpose, `${reasons} Ask for another one.`);
}

export function otherOrigin(purpose: PasskeyPurpose, consoleUrl: string): Problem {
  return refused(purpose, `The answer was made at another address. Open the console at ${consoleUrl}.`);
}

/** The same for one that was removed, one of another account, and one that was never added. */
export function unknownPasskey(): Problem {
  const reasons = 'This passkey is not known here: it was removed, or belongs to another account.';
  return refused('sign_in', `${reasons} ${OTHER_WAY}`);
}

/** One of two copies of a passkey counts behind the other. */
export function counterWentBack(): Problem {
  const reasons = 'The counter of this passkey went back, as that of a copy does.';
  return refused('sign_in', `${reasons} Remove it and add it again. ${OTHER_WAY}`);
}
