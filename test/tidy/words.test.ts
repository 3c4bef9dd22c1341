// The rules of CONTRIBUTING on names: identifiers, comments and titles of tests use the words of this field. A word of the
// list is a metaphor, or hides who acts. When this fails, use the word that an engineer would search for.

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { packageRoot } from '../../src/base/package-root.ts';
import { sqlWordsIn, wordsIn } from './words-scan.ts';

/** Metaphors: name the thing. */
const METAPHORS = `bell bells crowd crowds door doors gate gates glance glances house houses knock knocks lacking lane
  lanes mend mended mending mends news shop shops standing strange stranger strangers street streets told town towns trade
  wish wishes`;
/** Persons without a part in the system: say caller, guest, partner, operator, worker or server. */
const PERSONS = 'anybody everybody nobody somebody whoever';
const BANNED = new Set(`${METAPHORS} ${PERSONS}`.split(/\s+/));

/** Parsing is slow, so only files that have such a word anywhere are parsed. */
const MAY_HAVE_BANNED = new RegExp(`(?<![a-z])(${[...BANNED].join('|')})(?![a-z])`, 'i');

/** Limits are MAX_… and MIN_…. */
const BANNED_PREFIX = /\b(MOST|LEAST|LONGEST|SHORTEST)_[A-Z]/;

/** Words that may stay, with the reason. */
const EXCEPTIONS: readonly { readonly word: string; readonly files: RegExp; readonly reason: string }[] = [
  { word: 'mended', files: /analytics/, reason: 'a field of what `analytics rebuild --json` prints' },
  { word: 'nobody', files: /^sandbox\/postgres\/user\.ts$/, reason: 'the user of the operating system' },
];

const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: packageRoot,
  encoding: 'utf8',
});
const files = listed
  .split('\n')
  .filter((file) => /^(bench|migrations|sandbox|schemas|sdk|src|test|web)\/.*\.(ts|js)$|^src\/.*\.sql$/.test(file))
  .filter((file) => !file.includes('.gen.') && !file.startsWith('test/tidy/words'))
  .filter((file) => existsSync(join(packageRoot, file)));
const read = (file: string): string => readFileSync(join(packageRoot, file), 'utf8');

/** `lanesOf` is two words. */
const spaced = (text: string): string => text.replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2');

describe('the language of the code', () => {
  it('has no metaphors, and names the actor', () => {
    const violations: string[] = [];
    const used = new Set<string>();
    for (const file of files.filter((one) => MAY_HAVE_BANNED.test(spaced(read(one))))) {
      const found = file.endsWith('.sql') ? sqlWordsIn(read(file)) : wordsIn(file, read(file));
      for (const { line, word } of found.filter((one) => BANNED.has(one.word))) {
        const exception = EXCEPTIONS.find((one) => one.word === word && one.files.test(file));
        if (exception === undefined) violations.push(`${file}:${line}: ${word}`);
        else used.add(exception.reason);
      }
    }
    expect(violations).toEqual([]);
    expect(
      EXCEPTIONS.filter(({ reason }) => !used.has(reason)),
      'exceptions that nothing needs',
    ).toEqual([]);
    // It reads every file; a busy machine needs long.
  }, 120_000);

  it('names limits MAX_… and MIN_…', () => {
    const violations = files.filter((file) => BANNED_PREFIX.test(read(file)));
    expect(violations).toEqual([]);
  });

  it('is read from identifiers, comments and titles, and not from data', () => {
    const text = [
      '// The town of `lane`.',
      "it('nobody waits', () => {",
      "  const lanesOf = ['house', `shop`]; /* a bell */",
      '});',
    ].join('\n');
    const words = wordsIn('x.ts', text).filter(({ word }) => BANNED.has(word));
    expect(words.map(({ line, word }) => `${line} ${word}`).sort()).toEqual([
      '1 town',
      '2 nobody',
      '3 bell',
      '3 lanes',
    ]);
    expect(sqlWordsIn("-- A town.\nselect lane from t where x = 'house'").map(({ word }) => word)).toEqual(
      expect.arrayContaining(['town', 'lane']),
    );
  });
});
