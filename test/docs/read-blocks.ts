// The fenced blocks of a page, each with the paragraph before it, which says what the block is, and the one after it.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../src/base/package-root.ts';

export interface Block {
  /** "docs/guides/payments.md:37". */
  readonly place: string;
  readonly document: string;
  readonly language: string;
  /** Marked `not-run` behind its language. */
  readonly isNotRun: boolean;
  /** Marked `tab=agent`, for example: one of several ways to make the same call. */
  readonly tab: string | null;
  readonly text: string;
  readonly before: string;
  readonly after: string;
}

const markdownIn = (folder: string): string[] =>
  readdirSync(join(packageRoot, folder))
    .filter((file) => file.endsWith('.md'))
    .map((file) => `${folder}/${file}`);

/** Every page whose examples are run. */
export const DOCUMENTS = ['README.md', ...['docs/guides', 'docs/errors', 'docs/providers'].flatMap(markdownIn)];

export function readBlocks(document: string): Block[] {
  const source = readFileSync(join(packageRoot, document), 'utf8');
  return [...source.matchAll(/^```(\S*)((?: \S+)*)\n([\s\S]*?)^```$/gm)].map((match) => {
    const [whole, language = '', words = '', text = ''] = match;
    const marks = words.split(' ');
    const before = source.slice(0, match.index);
    return {
      place: `${document}:${before.split('\n').length}`,
      document,
      language,
      isNotRun: marks.includes('not-run'),
      tab: marks.find((mark) => mark.startsWith('tab='))?.slice('tab='.length) ?? null,
      text,
      before: before.trimEnd().split('\n\n').at(-1) ?? '',
      after:
        source
          .slice(match.index + whole.length)
          .trimStart()
          .split('\n\n')[0] ?? '',
    };
  });
}
