// The rows of the matrix for the calls of a person about their own account: passkeys, name, mail address.

import { insertPasskey } from '../../src/domain/accounts/passkey-queries.ts';
import { SoftwareAuthenticator } from '../support/software-authenticator.ts';
import type { IsolationFixture, Owner } from './isolation-fixture.ts';
import type { MatrixRow } from './operation-matrix.ts';

async function newPasskey({ world }: IsolationFixture, { account, mark }: Owner): Promise<string> {
  const { id: credential, publicKey } = new SoftwareAuthenticator('http://localhost');
  const id = world.context.ids.uuid();
  await insertPasskey(world.db, {
    id,
    accountId: account.id,
    credentialId: Buffer.from(credential, 'base64url'),
    publicKey,
    counter: 0,
    transports: [],
    name: mark,
    isSynced: false,
    now: Date.now(),
  });
  return id;
}

const passkeyInPath: MatrixRow = {
  as: 'account',
  references: { 'path id': 'uuid' },
  make: [async (fixture, owner) => ({ 'path id': await newPasskey(fixture, owner) })],
};
const SIGNED = { unguarded: { 'body /credential/id': 'a public id; the answer is signed by the key of the passkey' } };

export const consoleAccountRows: Readonly<Record<string, MatrixRow>> = {
  listPasskeys: { as: 'account', createListed: newPasskey },
  beginPasskey: {},
  addPasskey: SIGNED,
  renamePasskey: { ...passkeyInPath, body: () => ({ name: 'Desk' }) },
  deletePasskey: passkeyInPath,
  beginPasskeySignIn: {},
  verifyPasskeySignIn: SIGNED,
  beginPasskeyStepUp: {},
  verifyPasskeyStepUp: SIGNED,
  getCodeMail: { unguarded: { 'path challenge_id': 'only the caller who requested the code has it' } },
  updateAccount: {},
  changeAccountEmail: {},
  verifyAccountEmail: {
    unguarded: { 'body /challenge_id': 'it counts for the session that asked for the code alone' },
  },
  leaveVenue: {},
};
