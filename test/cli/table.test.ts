// Tables for a terminal: columns line up, and no cell can control the terminal.

import { describe, expect, it } from 'vitest';
import { block, formatTimestamp, table, widthOf } from '../../src/cli/table.ts';

describe('a table', () => {
  it('aligns its columns, also after wide characters and combining marks', () => {
    const rows = [
      ['Harbor', 'x'],
      ['東京', 'x'],
      ['Cafe\u0301', 'x'],
      ['🚤', 'x'],
    ];
    const lines = table(['NAME', 'END'], rows).split('\n');
    expect(lines.map((line) => widthOf(line.slice(0, line.search(/(x|END)$/))))).toEqual([8, 8, 8, 8, 8]);
  });

  it('has no trailing spaces', () => {
    expect(
      table(
        ['A', 'B'],
        [
          ['1', ''],
          ['22', '333'],
        ],
      ),
    ).toBe('A   B\n1\n22  333');
  });

  it('replaces control characters and direction marks, so that a name cannot move the cursor', () => {
    expect(block([['name', 'a\u001b[2Jb\nc\u202ed']])).toBe('name  a\ufffd[2Jb\ufffdc\ufffdd');
  });

  it('shows a time to the second', () => {
    expect(formatTimestamp('2026-11-15T15:31:36.500000Z')).toBe('2026-11-15 15:31:36Z');
    expect(formatTimestamp(null)).toBe('-');
  });
});
