// The stylesheet of the guest pages: what a test can read from its text.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { packageRoot } from '../../src/base/package-root.ts';

const readCss = (...path: readonly string[]): string =>
  readFileSync(join(packageRoot, 'web', ...path), 'utf8').replaceAll(/\/\*.*?\*\//gs, '');
const css = readCss('guest', 'guest.css');

const tokensIn = (text: string): string[] => [
  ...new Set([...text.matchAll(/^\s*(--[a-z0-9-]+):/gm)].map(([, name = '']) => name)),
];
/** What the console has no use for: the venue's colour, a guest who is in, the faces of guests, and the shapes of fields. */
const GUESTS_ALONE =
  /^--(venue|on-venue|on-deep|(on-)?green|face-|field-radius$|field-gap$|button-radius$|text-size$|ease$)/;

/** Properties whose value has four sides: the second is the right one, the fourth the left one. */
const FOUR_SIDES = /^(margin|padding|inset|border-(width|style|color)|scroll-(margin|padding))$/;
/** Properties that take `left` or `right` where `start` or `end` exists. */
const HAS_SIDES = /^(text-align|text-align-last|float|clear|caption-side)$/;

/** Why the declaration names a side of the screen instead of the beginning or the end of a line; null: it does not. */
function physicalSide(property: string, value: string): string | null {
  if (/(^|-)(left|right)(-|$)/.test(property)) return `${property} has a logical name`;
  if (HAS_SIDES.test(property) && /\b(left|right)\b/.test(value)) return `${property}: ${value} has start and end`;
  const sides = value.match(/(?:[^\s(]|\([^)]*\))+/g) ?? [];
  if (FOUR_SIDES.test(property) && sides.length === 4 && sides[1] !== sides[3])
    return `${property}: ${value} differs from left to right`;
  if (property === 'border-radius' && !value.includes('/') && sides.length > 1) {
    const [topLeft, topRight = topLeft, bottomRight = topLeft, bottomLeft = topRight] = sides;
    if (topLeft !== topRight || bottomRight !== bottomLeft) return `${property}: ${value} differs from left to right`;
  }
  return null;
}

function physicalSides(text: string): string[] {
  const declarations = [...text.matchAll(/(?<=[{;]\s*)([a-z-]+)\s*:\s*([^;{}]+)(?=[;}])/g)];
  return declarations
    .map(([, property = '', value = '']) => physicalSide(property, value.trim()))
    .filter((found) => found !== null);
}

describe('the stylesheet of the guest pages', () => {
  it('has its tokens in web/ui, by the names of the console’s where both have the role', () => {
    const [ours, theirs] = [tokensIn(readCss('ui', 'guest-tokens.css')), tokensIn(readCss('ui', 'tokens.css'))];
    expect(ours.filter((name) => !theirs.includes(name) && !GUESTS_ALONE.test(name))).toEqual([]);
    const used = [...css.matchAll(/var\((--[a-z0-9-]+)/g)].map(([, name = '']) => name);
    expect(used.filter((name) => !ours.includes(name) && !tokensIn(css).includes(name))).toEqual([]);
    expect(css).not.toMatch(/(^|\n):root\s*\{/);
  });

  it('names no left and no right where a logical property exists, so that it serves both directions', () => {
    expect(physicalSides(css)).toEqual([]);
  });

  it('would not pass with a side of the screen in any place', () => {
    const bad = [
      'margin-left: 4px',
      'right: 0',
      'border-left: 1px solid',
      'border-top-right-radius: 4px',
      'text-align: right',
      'float: left',
      'padding: 1px 2px 3px 4px',
      'inset: 0 auto 0 0',
      'border-radius: 24px 0 0 24px',
    ];
    for (const line of bad) expect(physicalSides(`a { color: red; ${line}; }`), line).toHaveLength(1);
    const good =
      'a { padding: 1px 2px 3px; margin: 0 calc(1px + 2px) 0 calc(1px + 2px); border-radius: 24px 24px 0 0; }';
    expect(physicalSides(good)).toEqual([]);
  });
});
