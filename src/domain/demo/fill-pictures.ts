// The pictures of the demo's catalogue, drawn here and stored as if a worker had fetched them: their addresses are of a domain
// that is reserved for examples, so that nothing could be fetched from there. The same name gives the same picture.

import type { Queryable } from '../../base/db.ts';
import { drawPreview, encodeCover } from '../../base/image-encoder.ts';
import { sha256 } from '../../base/sha256.ts';
import { dueImagesOf, recordFetched, wantImages } from '../images/image-queries.ts';

export interface DemoPicture {
  readonly url: string;
  readonly files: Parameters<typeof recordFetched>[2];
}

/** Outside of a transaction: encoding takes a while. */
export async function drawPictures(urls: readonly string[]): Promise<readonly DemoPicture[]> {
  const pictures: DemoPicture[] = [];
  for (const url of new Set(urls)) {
    const { cover, thumbnail, preview } = await encodeCover(await drawPreview(sceneOf(url)));
    pictures.push({
      url,
      files: {
        file: { type: 'image/webp', content: cover },
        thumbnail: { type: 'image/webp', content: thumbnail },
        preview: { type: 'image/jpeg', content: preview },
      },
    });
  }
  return pictures;
}

export async function storePictures(
  tx: Queryable,
  venueId: string,
  pictures: readonly DemoPicture[],
  now: number,
): Promise<void> {
  for (const { url } of pictures) await wantImages(tx, venueId, [{ kind: 'cover', url }], now);
  for (const due of await dueImagesOf(tx, venueId)) {
    const picture = pictures.find(({ url }) => url === due.url);
    if (picture !== undefined) await recordFetched(tx, due, picture.files);
  }
}

/** A low sun over water and hills, in colours of its own. */
function sceneOf(url: string): string {
  const bytes = sha256(url);
  const byte = (place: number): number => bytes[place] ?? 0;
  const hue = Math.round((byte(0) / 255) * 360);
  const sun = { x: 200 + byte(1) * 3, y: 200 + Math.round(byte(2) * 0.6), r: 50 + Math.round(byte(3) * 0.2) };
  const hills = [0, 1, 2].map((layer) => {
    const top = 330 + layer * 70;
    const curve = [4, 5, 6].map((place) => top - Math.round(byte(place + layer * 3) * 0.35));
    const [first = 0, second = 0, third = 0] = curve;
    const colour = `hsl(${(hue + 150 + layer * 14) % 360} 38% ${38 - layer * 8}%)`;
    return `<path fill="${colour}" d="M0 ${first} C 300 ${second} 500 ${top} 700 ${third} S 1050 ${first} 1200 ${second} V630 H0 Z"/>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="1200" height="630" viewBox="0 0 1200 630">
    <defs><linearGradient id="sky" x1="0" y1="0" x2="0" y2="1">
      <stop offset="0" stop-color="hsl(${hue} 62% 62%)"/><stop offset="1" stop-color="hsl(${(hue + 40) % 360} 85% 84%)"/>
    </linearGradient></defs>
    <rect width="1200" height="630" fill="url(#sky)"/>
    <circle cx="${sun.x}" cy="${sun.y}" r="${sun.r}" fill="#fff6dd" opacity="0.9"/>${hills.join('')}</svg>`;
}
