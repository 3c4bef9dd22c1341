// A QR code as an SVG picture: dark modules on white with a quiet zone, in dark mode too, because many cameras do not read
// an inverted code.

import { encode } from 'uqr';
import { type Html, html } from './html.ts';

/** The standard asks for a margin of four modules. */
const QUIET_ZONE = 4;

/** A code of level M is read with 15 % of it covered or damaged. */
export function qrCode(text: string, label: string): Html {
  const { data, size } = encode(text, { ecc: 'M', border: QUIET_ZONE });
  return html`<svg class="qr-code" role="img" aria-label="${label}" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges"><path fill="#fff" d="M0 0h${size}v${size}H0z"/><path stroke="#000" d="${data.map(darkRuns).join('')}"/></svg>`;
}

/** The dark modules of a row as lines of the width of a module. */
function darkRuns(row: readonly boolean[], y: number): string {
  let path = '';
  for (let x = 0; x < row.length; x++) {
    if (row[x] !== true) continue;
    const start = x;
    while (row[x + 1] === true) x++;
    path += `M${start} ${y}.5h${x + 1 - start}`;
  }
  return path;
}
