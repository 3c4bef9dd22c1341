// Reads pictures that other servers sent, and encodes them anew: what is served is our own file, without metadata, in a
// known format and size. Only JPEG, PNG, WebP and AVIF are read. Pixels and time are bounded, because a small file can
// unpack to gigabytes. The library is loaded at the first use.

import type { Sharp, SharpOptions } from 'sharp';

/** The bytes are no picture that can be used. The message is for the venue. */
export class ImageError extends Error {}

export interface EncodedCover {
  /** WebP, at most 1280 wide. */
  readonly cover: Buffer;
  /** WebP, 112 by 112. */
  readonly thumbnail: Buffer;
  /** JPEG, 1200 by 630, for link previews: some services read no WebP. */
  readonly preview: Buffer;
}

type MakeSharp = (input: Buffer, options?: SharpOptions) => Sharp;

const COVER_WIDTH = 1280;
const MAX_COVER_HEIGHT = 1600;
const SMALL = 112;
const PREVIEW = { width: 1200, height: 630 } as const;
const MIN_SIDE = 16;
const MAX_PIXELS = 40_000_000;
const TIMEOUT_SECONDS = 10;
const WEBP = { quality: 78, effort: 4 } as const;
const JPEG = { quality: 80, mozjpeg: true } as const;
const WHITE = '#ffffff';

let library: Promise<MakeSharp> | null = null;

function loadLibrary(): Promise<MakeSharp> {
  library ??= import('sharp').then(({ default: sharp }) => {
    sharp.cache(false);
    // One thread for a picture: the others serve requests.
    sharp.concurrency(1);
    return sharp;
  });
  return library;
}

const startsWith = (bytes: Buffer, text: string, at = 0): boolean =>
  bytes.subarray(at, at + text.length).toString('latin1') === text;

/** By the first bytes, so that nothing else reaches the library's decoders. */
function isAllowedFormat(bytes: Buffer): boolean {
  return (
    startsWith(bytes, '\xff\xd8\xff') ||
    startsWith(bytes, '\x89PNG\r\n\x1a\n') ||
    (startsWith(bytes, 'RIFF') && startsWith(bytes, 'WEBP', 8)) ||
    (startsWith(bytes, 'ftyp', 4) && /^(?:avif|avis|mif1)$/.test(bytes.subarray(8, 12).toString('latin1')))
  );
}

async function open(bytes: Buffer): Promise<() => Sharp> {
  if (!isAllowedFormat(bytes)) throw new ImageError('It is no JPEG, PNG, WebP or AVIF picture.');
  const makeSharp = await loadLibrary();
  return () =>
    makeSharp(bytes, { limitInputPixels: MAX_PIXELS, failOn: 'error', pages: 1 })
      .timeout({ seconds: TIMEOUT_SECONDS })
      .autoOrient();
}

/** An error of the library about the given bytes says that they are no usable picture. */
async function decode<Value>(work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ImageError) throw error;
    throw new ImageError('It cannot be read as a picture, or it is too large.', { cause: error });
  }
}

async function requireSize(picture: Sharp): Promise<{ readonly width: number; readonly height: number }> {
  const { autoOrient } = await picture.metadata();
  const { width, height } = autoOrient;
  if (width * height > MAX_PIXELS) throw new ImageError(`It has more than ${MAX_PIXELS / 1e6} million pixels.`);
  if (Math.min(width, height) >= MIN_SIDE) return { width, height };
  throw new ImageError(`It is smaller than ${MIN_SIDE} by ${MIN_SIDE} pixels.`);
}

/** Throws ImageError if the bytes are no usable picture. */
export async function encodeCover(bytes: Buffer): Promise<EncodedCover> {
  const picture = await open(bytes);
  return decode(async () => {
    const size = await requireSize(picture());
    const width = Math.min(COVER_WIDTH, size.width);
    const height = Math.min(MAX_COVER_HEIGHT, Math.max(1, Math.round((size.height * width) / size.width)));
    const cover = await picture().resize({ width, height }).flatten({ background: WHITE }).webp(WEBP).toBuffer();
    const makeSharp = await loadLibrary();
    const [thumbnail, preview] = await Promise.all([
      makeSharp(cover).resize({ width: SMALL, height: SMALL }).webp(WEBP).toBuffer(),
      makeSharp(cover).resize(PREVIEW).jpeg(JPEG).toBuffer(),
    ]);
    return { cover, thumbnail, preview };
  });
}

/** WebP, at most 112 by 112, with its transparent parts. Throws ImageError if the bytes are no usable picture. */
export async function encodeLogo(bytes: Buffer): Promise<Buffer> {
  const picture = await open(bytes);
  return decode(async () => {
    await requireSize(picture());
    const box = { width: SMALL, height: SMALL, fit: 'inside', withoutEnlargement: true } as const;
    return picture().resize(box).webp(WEBP).toBuffer();
  });
}

/** A JPEG of a drawing of our own, 1200 by 630. Texts are not drawn on machines without fonts. */
export async function drawPreview(svg: string): Promise<Buffer> {
  const makeSharp = await loadLibrary();
  return makeSharp(Buffer.from(svg)).resize(PREVIEW).flatten({ background: WHITE }).jpeg(JPEG).toBuffer();
}
