// The layout of every documentation page. Nothing is inline: styles come from site.css, and only the reference has
// scripts.

import { escapeHtml } from './markdown.ts';

type Area = 'reference' | 'guides' | 'providers' | 'errors';

export interface Page {
  readonly area: Area;
  /** Shown in the browser's tab before the product's name. */
  readonly title: string;
  readonly description: string;
  /** Inside <main>, as HTML. */
  readonly body: string;
}

const LINKS: readonly { readonly area: Area | null; readonly href: string; readonly text: string }[] = [
  { area: 'reference', href: '/docs', text: 'Reference' },
  { area: 'guides', href: '/docs/guides', text: 'Guides' },
  { area: 'providers', href: '/docs/providers', text: 'Venue systems' },
  { area: 'errors', href: '/docs/errors', text: 'Errors' },
  { area: null, href: '/v1/openapi.json', text: 'OpenAPI' },
];

export function renderPage({ area, title, description, body }: Page): string {
  return `${head(title, description, '')}
<body class="text">
<a class="skip" href="#main">Skip to the content</a>
${header(area)}
<main id="main" tabindex="-1">
${body}
</main>
</body>
</html>
`;
}

/** The reference fills its own element. The nonce is for the styles that its script adds. */
export function renderReference(nonce: string): string {
  const extra = `
<meta property="csp-nonce" content="${nonce}">
<link rel="stylesheet" href="/docs/reference.css">
<script src="/docs/reference.js" defer></script>
<script src="/docs/scalar.js" defer></script>`;
  return `${head('API reference', 'Every call of the Everyshare API: what it takes, what it answers, and how it fails.', extra)}
<body class="reference">
<a class="skip" href="#reference">Skip to the content</a>
${header('reference')}
<div id="reference" tabindex="-1"></div>
<p class="waiting">Loading the reference. It needs JavaScript; the <a href="/v1/openapi.json">OpenAPI document</a> says the same.</p>
</body>
</html>
`;
}

function head(title: string, description: string, extra: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)} · Everyshare</title>
<meta name="description" content="${escapeHtml(description)}">
<link rel="icon" href="/docs/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/docs/site.css">${extra}
</head>`;
}

function header(area: Area): string {
  const links = LINKS.map((link) => {
    const current = link.area === area ? ' aria-current="true"' : '';
    return `<li><a href="${link.href}"${current}>${link.text}</a></li>`;
  });
  return `<header class="top">
<a class="name" href="/docs">Everyshare</a>
<nav aria-label="Documentation"><ul>${links.join('')}</ul></nav>
</header>`;
}
