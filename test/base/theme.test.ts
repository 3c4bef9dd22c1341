// The colours that are derived from a venue's one colour: every text on them is readable, in light and dark.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contrast, hexOf, oklchOf } from '../../src/base/oklch.ts';
import { DEFAULT_THEME, SURFACE, type Theme, themeOf, themeStylesheet } from '../../src/base/theme.ts';
import { runs } from '../support/random-runs.ts';

const EXTREMES = ['#000000', '#ffffff', '#ff0000', '#00ff00', '#0000ff', '#ffff00', '#00ffff', '#ff00ff', '#808080'];
const colors = fc
  .integer({ min: 0, max: 0xffffff })
  .map((value) => `#${value.toString(16).padStart(6, '0')}`)
  .filter((hex) => !EXTREMES.includes(hex));

/** A colour on white, as browsers mix them. */
const overWhite = (hex: string, share: number): string => {
  const parts = [1, 3, 5].map((at) => Math.round(255 - share * (255 - Number.parseInt(hex.slice(at, at + 2), 16))));
  return `#${parts.map((part) => part.toString(16).padStart(2, '0')).join('')}`;
};

/** Throws, with the colour, where a text is not readable. */
function checkReadable(color: string | null, { light, dark }: Theme): void {
  const pairs: [what: string, ratio: number, least: number][] = [
    ['white on --venue', contrast('#ffffff', light['--venue']), 4.5],
    ['white on --venue-press', contrast('#ffffff', light['--venue-press']), 4.5],
    ['--venue-text on the surface', contrast(light['--venue-text'], SURFACE.light), 4.5],
    ['--venue-text on --venue-soft', contrast(light['--venue-text'], light['--venue-soft']), 4.5],
    ['ink on dark --venue', contrast(dark['--on-venue'], dark['--venue']), 7],
    ['ink on dark --venue-press', contrast(dark['--on-venue'], dark['--venue-press']), 7],
    ['dark --venue-text on the surface', contrast(dark['--venue-text'], SURFACE.dark), 4.5],
    ['dark --venue-text on --venue-soft', contrast(dark['--venue-text'], dark['--venue-soft']), 4.5],
    ['the focus ring on the dark surface', contrast(dark['--venue'], SURFACE.dark), 3],
    ...[light, dark].flatMap((tokens): [string, number, number][] => [
      ['white on --venue-deep', contrast('#ffffff', tokens['--venue-deep']), 12],
      ['--on-deep-2 on --venue-deep', contrast(tokens['--on-deep-2'], tokens['--venue-deep']), 7],
      ['white on the melt over a white photo', contrast('#ffffff', overWhite(tokens['--venue-deep'], 0.68)), 4.5],
      ['--on-deep-2 on the melt', contrast(tokens['--on-deep-2'], overWhite(tokens['--venue-deep'], 0.85)), 4.5],
    ]),
  ];
  const unreadable = pairs.filter(([, ratio, least]) => ratio < least);
  expect([color, unreadable]).toEqual([color, []]);
}

describe('the colours of a venue', () => {
  it('keep every text readable for any colour', () => {
    for (const color of EXTREMES) checkReadable(color, themeOf(color));
    fc.assert(
      fc.property(colors, (color) => checkReadable(color, themeOf(color))),
      runs(1_000, 100),
    );
  });

  it('are those of the service when the venue has none', () => {
    expect(themeOf(null)).toBe(DEFAULT_THEME);
    checkReadable(null, DEFAULT_THEME);
  });

  it('keep the colour that the venue gave, where white is readable on it', () => {
    for (const color of ['#0f5486', '#7a1f5c', '#1d5c3a', '#b3261e']) {
      expect(themeOf(color).light['--venue']).toBe(color);
    }
  });

  it('keep the hue of a colour that is too bright', () => {
    const given = oklchOf('#f5a623');
    const venue = oklchOf(themeOf('#f5a623').light['--venue']);
    expect(venue.lightness).toBeLessThan(given.lightness);
    expect(Math.abs(venue.hue - given.hue)).toBeLessThan(2);
  });

  it('change when a button is pressed, also for black and white', () => {
    for (const color of [...EXTREMES, '#0f5486']) {
      const { light, dark } = themeOf(color);
      expect([color, light['--venue-press']]).not.toEqual([color, light['--venue']]);
      expect([color, dark['--venue-press']]).not.toEqual([color, dark['--venue']]);
    }
  });
});

describe('the stylesheet', () => {
  it('sets every custom property for light and dark, and nothing else', () => {
    const css = themeStylesheet('#7a1f5c');
    const names = [...css.matchAll(/(--[a-z0-9-]+):(#[0-9a-f]{6})/g)].map(([, name]) => name);
    expect(names).toEqual([...Object.keys(DEFAULT_THEME.light), ...Object.keys(DEFAULT_THEME.dark)]);
    expect(css.replaceAll(/--[a-z0-9-]+:#[0-9a-f]{6};?/g, '')).toBe(
      ':root{}\n@media (prefers-color-scheme:dark){:root{}}\n',
    );
  });
});

describe('OKLCH', () => {
  it('gives back every colour of the screen', () => {
    for (const color of EXTREMES) expect(hexOf(oklchOf(color))).toBe(color);
    fc.assert(
      fc.property(colors, (color) => {
        expect(hexOf(oklchOf(color))).toBe(color);
      }),
      runs(1_000, 100),
    );
  });

  it('has the published values', () => {
    const { lightness, chroma, hue } = oklchOf('#ff0000');
    expect([lightness, chroma, hue].map((value) => Number(value.toFixed(3)))).toEqual([0.628, 0.258, 29.234]);
  });

  it('has the contrast of WCAG', () => {
    expect(contrast('#ffffff', '#000000')).toBe(21);
    expect(contrast('#777777', '#ffffff')).toBeCloseTo(4.478, 3);
  });
});
