// The secrets that the operator did not set, in files of DATA_DIR: the operator token and the encryption keys.

import { unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { type Config, ConfigError, MIN_TOKEN_LENGTH, parseKeys } from '../base/config.ts';
import { randomText, systemRandom } from '../base/random.ts';
import { readOrCreateSecret, type SecretFile } from '../base/secret-file.ts';
import { WrongEncryptionKey } from '../domain/installation/verify-encryption-key.ts';

export function storedOperatorToken({ dataDir }: Config): SecretFile {
  const file = join(dataDir, 'operator-token');
  const token = readOrCreateSecret(file, () => `opt_${randomText(systemRandom, 40)}`);
  if (token.text.length >= MIN_TOKEN_LENGTH) return token;
  throw new ConfigError([
    `${file} holds less than ${MIN_TOKEN_LENGTH} characters: restore it, or delete it to get a new token.`,
  ]);
}

export interface StoredKeys {
  readonly file: string;
  readonly keys: readonly Buffer[];
  readonly isNew: boolean;
}

/** The file may hold several keys, as ENCRYPTION_KEY may. */
export function storedEncryptionKeys({ dataDir }: Config): StoredKeys {
  const file = join(dataDir, 'encryption-key');
  const { text, isNew } = readOrCreateSecret(file, () => systemRandom.bytes(32).toString('base64'));
  const keys = parseKeys(text);
  if (keys === null)
    throw new ConfigError([`${file} must hold keys of 32 bytes in base64, separated by commas: restore it.`]);
  return { file, keys, isNew };
}

/**
 * The error about a wrong key, if the key was just made because its file is missing. The new file is removed: else a job that
 * copies keys would put it over the right one.
 */
export function asMissingKeyFile({ file, isNew }: StoredKeys, error: unknown): unknown {
  if (!isNew || !(error instanceof WrongEncryptionKey)) return error;
  unlinkSync(file);
  return new ConfigError([`${file} is missing, and this database was written with the key in it: restore the file.`]);
}
