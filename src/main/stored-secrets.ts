// The secrets that the operator did not set, in files of DATA_DIR: the operator token and the encryption keys.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Config, ConfigError, MIN_TOKEN_LENGTH, parseKeys } from '../base/config.ts';
import { openDb } from '../base/db.ts';
import { randomText, systemRandom } from '../base/random.ts';
import { readOrCreateSecret, type SecretFile } from '../base/secret-file.ts';
import { isInstalled } from '../domain/installation/verify-encryption-key.ts';

export function storedOperatorToken({ dataDir }: Config): SecretFile {
  const file = join(dataDir, 'operator-token');
  const token = readOrCreateSecret(file, () => `opt_${randomText(systemRandom, 40)}`);
  if (token.text.length >= MIN_TOKEN_LENGTH) return token;
  throw new ConfigError([
    `${file} holds less than ${MIN_TOKEN_LENGTH} characters: restore it, or delete it to get a new token.`,
  ]);
}

/**
 * The keys of the setting, else those of the file, which the first start makes. For a database with data no key is made: it
 * could only be a wrong one, and a job that copies keys would put it over the right one.
 */
export async function encryptionKeysFor(config: Config, databaseUrl: string): Promise<readonly Buffer[]> {
  if (config.encryptionKeys !== null) return config.encryptionKeys;
  const file = keyFileOf(config);
  if (existsSync(file) || !(await hasInstallation(databaseUrl))) return storedEncryptionKeys(config);
  throw new ConfigError([`${file} is missing, and this database was written with the key in it: restore the file.`]);
}

/** The file may hold several keys, as ENCRYPTION_KEY may. */
export function storedEncryptionKeys(config: Config): readonly Buffer[] {
  const file = keyFileOf(config);
  const keys = parseKeys(readOrCreateSecret(file, () => systemRandom.bytes(32).toString('base64')).text);
  if (keys === null)
    throw new ConfigError([`${file} must hold keys of 32 bytes in base64, separated by commas: restore it.`]);
  return keys;
}

const keyFileOf = ({ dataDir }: Config): string => join(dataDir, 'encryption-key');

async function hasInstallation(url: string): Promise<boolean> {
  const db = openDb({ url, connections: 2, pooled: false, applicationName: 'everyshare-start' });
  try {
    return await isInstalled(db);
  } finally {
    await db.close();
  }
}
