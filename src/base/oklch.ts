// Colours as #rrggbb and in OKLCH (Björn Ottosson's OKLab in polar form), and the contrast ratio of WCAG 2. A colour that
// the screen cannot show keeps its lightness and hue and loses chroma.

export interface Oklch {
  /** 0 (black) to 1 (white). */
  readonly lightness: number;
  readonly chroma: number;
  /** In degrees. */
  readonly hue: number;
}

type Triple = readonly [number, number, number];

const channelsOf = (hex: string): Triple => [
  Number.parseInt(hex.slice(1, 3), 16) / 255,
  Number.parseInt(hex.slice(3, 5), 16) / 255,
  Number.parseInt(hex.slice(5, 7), 16) / 255,
];

const toLinear = (value: number): number => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
const fromLinear = (value: number): number => (value <= 0.0031308 ? value * 12.92 : 1.055 * value ** (1 / 2.4) - 0.055);

export function oklchOf(hex: string): Oklch {
  const [r, g, b] = channelsOf(hex).map(toLinear) as unknown as Triple;
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  const a = 1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s;
  const c = 0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s;
  return {
    lightness: 0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    chroma: Math.hypot(a, c),
    hue: (Math.atan2(c, a) * 180) / Math.PI,
  };
}

/** The linear channels, which lie outside 0 to 1 for a colour that the screen cannot show. */
function linearOf({ lightness, chroma, hue }: Oklch): Triple {
  const a = chroma * Math.cos((hue * Math.PI) / 180);
  const c = chroma * Math.sin((hue * Math.PI) / 180);
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * c) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * c) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * c) ** 3;
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ];
}

const GAMUT_TOLERANCE = 1e-4;
const isShown = (color: Oklch): boolean =>
  linearOf(color).every((value) => value >= -GAMUT_TOLERANCE && value <= 1 + GAMUT_TOLERANCE);

/** As #rrggbb, with less chroma where the screen cannot show it. */
export function hexOf(color: Oklch): string {
  let [shown, tooMuch] = [0, color.chroma];
  if (isShown(color)) shown = color.chroma;
  else {
    for (let step = 0; step < 20; step++) {
      const middle = (shown + tooMuch) / 2;
      if (isShown({ ...color, chroma: middle })) shown = middle;
      else tooMuch = middle;
    }
  }
  const bytes = linearOf({ ...color, chroma: shown }).map((value) =>
    Math.round(fromLinear(Math.min(1, Math.max(0, value))) * 255),
  );
  return `#${bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

function luminanceOf(hex: string): number {
  const [r, g, b] = channelsOf(hex).map(toLinear) as unknown as Triple;
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/** From 1 to 21. */
export function contrast(one: string, other: string): number {
  const [a, b] = [luminanceOf(one), luminanceOf(other)];
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}
