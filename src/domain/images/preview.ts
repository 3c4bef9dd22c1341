// The picture of a link preview (og:image): the offering's cover, or five circles in the venue's colour. It carries no
// text: a machine without fonts would draw boxes, and names and amounts must not reach the servers that make previews.
// Drawings are cached by colour, a bounded number of them.

import type { Queryable } from '../../base/db.ts';
import { drawPreview } from '../../base/image-encoder.ts';
import { hexOf, oklchOf } from '../../base/oklch.ts';
import { themeOf } from '../../base/theme.ts';
import { findVenue } from '../venues/queries.ts';
import { findImageFiles, type PicturedCheckout } from './find-images.ts';
import { readImageFile } from './image-queries.ts';

export interface Preview {
  /** JPEG, 1200 by 630. */
  readonly content: Buffer;
  /** False: the drawing. The cover may follow soon. */
  readonly isCover: boolean;
}

export type FindPreview = (db: Queryable, checkout: PicturedCheckout, now: number) => Promise<Preview>;

const MAX_DRAWINGS = 50;

export function makeFindPreview(): FindPreview {
  const drawings = new Map<string, Promise<Buffer>>();
  const drawingFor = (color: string | null): Promise<Buffer> => {
    const name = color ?? '';
    const known = drawings.get(name);
    if (known !== undefined) return known;
    const drawing = drawPreview(drawCircles(color));
    drawings.set(name, drawing);
    // A failed drawing is tried again at the next request.
    drawing.catch(() => drawings.delete(name));
    const [oldest] = drawings.keys();
    if (drawings.size > MAX_DRAWINGS && oldest !== undefined) drawings.delete(oldest);
    return drawing;
  };
  return async (db, checkout, now) => {
    const { cover } = await findImageFiles(db, checkout, now);
    const file = cover?.preview == null ? null : await readImageFile(db, cover.preview);
    if (file !== null) return { content: file.content, isCover: true };
    const venue = await findVenue(db, checkout.venueId);
    return { content: await drawingFor(venue?.accent_color ?? null), isCover: false };
  };
}

/** x, y, radius, lightness: from left to right, each overlapping the next. */
const CIRCLES = [
  [150, 300, 190, 0.5],
  [385, 220, 215, 0.62],
  [640, 330, 235, 0.72],
  [880, 210, 205, 0.57],
  [1080, 350, 200, 0.8],
] as const;

/** An SVG drawing: five overlapping circles in tints of the venue's colour, which melt into its deep tone. */
export function drawCircles(color: string | null): string {
  const { light } = themeOf(color);
  const { chroma, hue } = oklchOf(light['--venue']);
  const deep = light['--venue-deep'];
  const circles = CIRCLES.map(([x, y, radius, lightness]) => {
    const tint = hexOf({ lightness, chroma: Math.min(chroma, 0.12), hue });
    return `<circle cx="${x}" cy="${y}" r="${radius}" fill="${tint}" fill-opacity="0.82"/>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="1200" height="630" viewBox="0 0 1200 630">
<defs><linearGradient id="melt" x1="0" y1="0" x2="0" y2="1">
<stop offset="0.3" stop-color="${deep}" stop-opacity="0"/><stop offset="1" stop-color="${deep}"/>
</linearGradient></defs>
<rect width="1200" height="630" fill="${deep}"/>
${circles.join('\n')}
<rect width="1200" height="630" fill="url(#melt)"/>
</svg>`;
}
