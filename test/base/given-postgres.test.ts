// Tests on a PostgreSQL that DATABASE_URL names: it is checked before anything is made there, and a run drops what it made.

import { randomBytes } from 'node:crypto';
import { expect, inject, it, onTestFinished } from 'vitest';
import { openDb } from '../../src/base/db.ts';
import { createDatabase } from '../support/create-database.ts';
import { openGivenPostgres } from '../support/given-postgres.ts';

const openServer = () => {
  const db = openDb({ url: inject('postgresUrl'), connections: 2, pooled: false, applicationName: 'test' });
  onTestFinished(() => db.close());
  return db;
};

it('a server that does not answer is named, with the remedy and without the password', async () => {
  const refused = openGivenPostgres('postgres://ada:secret@127.0.0.1:1/postgres');
  await expect(refused).rejects.toThrow(/at 127\.0\.0\.1:1, and it cannot be reached as ada .* unset DATABASE_URL/);
  await expect(refused).rejects.not.toThrow(/secret/);
});

it('a role that may not create databases is named, with the remedy', async () => {
  const db = openServer();
  const role = `poor_${randomBytes(4).toString('hex')}`;
  await db.query(`create role ${role} login password 'poor'`);
  try {
    const url = new URL(inject('postgresUrl'));
    url.username = role;
    url.password = 'poor';
    await expect(openGivenPostgres(url.href)).rejects.toThrow(
      new RegExp(`the role ${role} at .* may not create databases.*"alter role ${role} createdb"`),
    );
  } finally {
    await db.query(`drop role ${role}`);
  }
});

it('the end of a run drops the databases of that run, and no other', async () => {
  const db = openServer();
  const [one, other] = [await openGivenPostgres(inject('postgresUrl')), await openGivenPostgres(inject('postgresUrl'))];
  await createDatabase(one.url, `${one.prefix}a`, null);
  await createDatabase(other.url, `${other.prefix}a`, null);
  await one.stop();
  const names = () =>
    db.query('select datname from pg_database where datname in ($1, $2)', [`${one.prefix}a`, `${other.prefix}a`]);
  expect(await names()).toEqual([{ datname: `${other.prefix}a` }]);
  await other.stop();
  expect(await names()).toEqual([]);
});
