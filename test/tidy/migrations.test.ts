// Migrations keep servers of the release before running: they expand, and contract only what a release that is out no
// longer reads.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { expandViolations, readReleaseList } from '../../migrations/expand-rules.ts';
import { packageRoot, packageVersion } from '../../src/base/package-root.ts';
import { compareReleases } from '../../src/base/releases.ts';
import { type Migration, readMigrations, schemaFolders } from '../../src/base/schema-files.ts';

const releases = readReleaseList(readFileSync(join(packageRoot, 'migrations', 'releases.txt'), 'utf8'));
const newest = releases.at(-1);

const fileWith = (sql: string): Migration => ({
  version: 999_999,
  name: '999999-example.sql',
  sql,
  checksum: '',
  earlierChecksums: [],
  isConcurrent: false,
  contractSince: /since (\S+)/.exec(sql)?.[1] ?? null,
});
const violationsOf = (sql: string): string[] => expandViolations(fileWith(sql), [fileWith(sql)], releases);

describe('migrations after the newest release', () => {
  it('drop, rename and narrow nothing that its servers read, unless marked as a contract', () => {
    const all = readMigrations(schemaFolders(packageRoot));
    const later = all.filter(({ version }) => version > (newest?.newestMigration ?? 0));
    expect(later.flatMap((migration) => expandViolations(migration, later, releases))).toEqual([]);
  });

  it('belong to a program of a later version than the newest release', () => {
    expect(packageVersion()).toMatch(/^\d+\.\d+\.\d+$/);
    expect(compareReleases(packageVersion(), newest?.version ?? '')).toBeGreaterThan(0);
  });
});

describe('the rules of expanding', () => {
  it.each([
    'drop table venues;',
    'drop function one(integer);',
    'drop index events_by_time;',
    'alter table venues drop column name;',
    'alter table venues rename column name to title;',
    'alter table venues rename to places;',
    'alter table venues alter column name type integer;',
    'alter table venues alter column name set not null;',
    'alter table venues alter column name drop not null;',
    'alter table venues alter column name drop default;',
    'alter table venues add constraint name_is_short check (length(name) < 9);',
    'alter table venues add column region text not null;',
    'alter table venues add column a text default 1, add column b text not null;',
    'create unique index concurrently if not exists venues_by_name on venues (name);',
    'delete from venues;',
    'alter table venues drop name;',
    'alter table venues add region text not null;',
    'do $$ begin drop table venues$$;',
    'create index venues_by_name on venues (name);',
    "update venues set name = '';",
    'with old as (select 1) update venues set name = null;',
    'alter table venues add column token uuid default gen_random_uuid();',
    'alter table venues add column number bigserial;',
    'alter table venues add column made_at timestamptz not null default clock_timestamp();',
    '-- widens: venues: members do not see it\nalter table venues drop column name;',
    '-- widens: name: it may be long\nalter table venues drop column name;',
    '-- widens: name: it may be long\nalter table venues alter column name drop not null, drop column region;',
  ])('refuse %s', (sql) => {
    expect(violationsOf(sql)).toHaveLength(1);
    expect(violationsOf(`-- contract: since ${newest?.version}\n${sql}`)).toEqual([]);
  });

  it.each([
    'create table towns (town_id uuid primary key, name text); alter table towns add constraint t check (name > 1);',
    'create table towns (town_id uuid primary key); create unique index towns_by_id on towns (town_id);',
    'alter table venues add column region text;',
    'alter table venues add column is_open boolean not null default true;',
    '-- widens: status_is_known: earlier workers leave these rows alone\nalter table venues drop constraint status_is_known;',
    '-- widens: name: it may be null\nalter table venues alter column name drop not null;',
    '-- no transaction\n-- widens: one_name: wider than before\ncreate unique index concurrently if not exists one_name on venues (name);',
    "-- few rows: venues: there are hundreds\nupdate venues set name = '';",
    'alter table venues add column made_at timestamptz not null default now();',
    'create table towns (town_id uuid primary key); create index towns_by_id on towns (town_id);',
    '-- no transaction\ncreate index concurrently if not exists venues_by_name on venues (name);',
    '-- drop table venues;',
  ])('accept %s', (sql) => {
    expect(violationsOf(sql)).toEqual([]);
  });

  it('refuse a contract since a release that is not out', () => {
    expect(violationsOf('-- contract: since 9.9.9\ndrop table venues;')).toEqual([
      expect.stringContaining('names no release of releases.txt'),
    ]);
  });

  it('refuse a line of releases.txt that is not one', () => {
    expect(() => readReleaseList('1.0.0 abc 1')).toThrow(/a line is/);
  });
});
