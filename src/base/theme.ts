// The colours of a page, derived from one colour that a venue gives: hue and as much chroma as fits are kept, lightness
// is changed until every text on them has its contrast. Guests can read each page, no matter which colour the venue
// chose. Pure: the result is the text of a stylesheet.

import { contrast, hexOf, type Oklch, oklchOf } from './oklch.ts';

export type ThemeToken =
  | '--venue'
  | '--on-venue'
  | '--venue-press'
  | '--venue-soft'
  | '--venue-text'
  | '--venue-deep'
  | '--on-deep'
  | '--on-deep-2';

export type ThemeColors = Readonly<Record<ThemeToken, string>>;

export interface Theme {
  readonly light: ThemeColors;
  readonly dark: ThemeColors;
}

/** The page's own background; web/ui/guest-tokens.css has the same values. */
export const SURFACE = { light: '#ffffff', dark: '#151a1e' } as const;

const WHITE = '#ffffff';
const TEXT_CONTRAST = 4.5;
const INK_CONTRAST = 7;
const DEEP_CONTRAST = 12;
const SHIFT_STEPS = 10;

/** For a venue without a colour. */
export const DEFAULT_THEME: Theme = {
  light: {
    '--venue': '#0f5486',
    '--on-venue': WHITE,
    '--venue-press': '#0b4069',
    '--venue-soft': '#e6f0f8',
    '--venue-text': '#0d4d7b',
    '--venue-deep': '#0a2031',
    '--on-deep': WHITE,
    '--on-deep-2': '#c9d6e0',
  },
  dark: {
    '--venue': '#8cc6f0',
    '--on-venue': '#06202f',
    '--venue-press': '#b1d9f6',
    '--venue-soft': '#12293a',
    '--venue-text': '#9bcdf2',
    '--venue-deep': '#081724',
    '--on-deep': WHITE,
    '--on-deep-2': '#c9d6e0',
  },
};

/** Null: the venue has no colour. Otherwise #rrggbb. */
export function themeOf(color: string | null): Theme {
  if (color === null) return DEFAULT_THEME;
  const given = oklchOf(color);
  return { light: lightColors(given), dark: darkColors(given) };
}

export function themeStylesheet(color: string | null): string {
  const { light, dark } = themeOf(color);
  const declarations = (colors: ThemeColors): string =>
    Object.entries(colors)
      .map(([token, value]) => `${token}:${value}`)
      .join(';');
  return `:root{${declarations(light)}}\n@media (prefers-color-scheme:dark){:root{${declarations(dark)}}}\n`;
}

function lightColors(given: Oklch): ThemeColors {
  const venue = shift(given, 0, [[WHITE, TEXT_CONTRAST]]);
  const soft = hexOf(tint(given, 0.953, 0.016));
  // A button that is nearly black is pressed lighter: darker would not be seen.
  const press = {
    ...venue,
    lightness: venue.lightness < 0.3 ? Math.max(venue.lightness, 0.1) + 0.15 : venue.lightness - 0.08,
  };
  return {
    '--venue': hexOf(venue),
    '--on-venue': WHITE,
    '--venue-press': hexOf(shift(press, 0, [[WHITE, TEXT_CONTRAST]])),
    '--venue-soft': soft,
    '--venue-text': hexOf(
      shift(venue, 0, [
        [SURFACE.light, TEXT_CONTRAST],
        [soft, TEXT_CONTRAST],
      ]),
    ),
    ...deepColors(given, 0.23, 0.06),
  };
}

function darkColors(given: Oklch): ThemeColors {
  const ink = hexOf(tint(given, 0.225, 0.04));
  const bright = { ...given, lightness: Math.max(given.lightness, 0.78) };
  const venue = shift(bright, 1, [[ink, INK_CONTRAST]]);
  const soft = hexOf(tint(given, 0.27, 0.045));
  // A button that is nearly white is pressed darker.
  const press = { ...venue, lightness: venue.lightness > 0.9 ? venue.lightness - 0.06 : venue.lightness + 0.07 };
  return {
    '--venue': hexOf(venue),
    '--on-venue': ink,
    '--venue-press': hexOf(shift(press, 1, [[ink, INK_CONTRAST]])),
    '--venue-soft': soft,
    '--venue-text': hexOf(
      shift(venue, 1, [
        [SURFACE.dark, TEXT_CONTRAST],
        [soft, TEXT_CONTRAST],
      ]),
    ),
    ...deepColors(given, 0.2, 0.05),
  };
}

function deepColors(given: Oklch, lightness: number, chroma: number) {
  const deep = hexOf(shift(tint(given, lightness, chroma), 0, [[WHITE, DEEP_CONTRAST]]));
  const second = shift(tint(given, 0.87, 0.02), 1, [[deep, INK_CONTRAST]]);
  return { '--venue-deep': deep, '--on-deep': WHITE, '--on-deep-2': hexOf(second) };
}

function tint({ chroma, hue }: Oklch, lightness: number, maxChroma: number): Oklch {
  return { lightness, chroma: Math.min(chroma, maxChroma), hue };
}

/**
 * Moves lightness toward `end`, black (0) or white (1), only as far as the shown colour needs for its contrast with each of
 * the others. Every returned colour was checked, but for `end` itself.
 */
function shift(color: Oklch, end: 0 | 1, others: readonly (readonly [hex: string, ratio: number])[]): Oklch {
  const at = (lightness: number): Oklch => ({ ...color, lightness: Math.min(1, Math.max(0, lightness)) });
  const isReadable = (lightness: number): boolean => {
    const hex = hexOf(at(lightness));
    return others.every(([other, ratio]) => contrast(hex, other) >= ratio);
  };
  if (isReadable(color.lightness)) return at(color.lightness);
  let [near, far]: [number, number] = [color.lightness, end];
  for (let step = 0; step < SHIFT_STEPS; step++) {
    const middle = (near + far) / 2;
    if (isReadable(middle)) far = middle;
    else near = middle;
  }
  return at(far);
}
