// Starts the API reference. It runs before the reference's own script: it gives the styles that this script adds the
// page's nonce, then starts the reference with every feature disabled that calls another origin.

const nonce = document.querySelector('meta[property=csp-nonce]').content;

// Style elements made by script need the page's nonce, and the reference omits it on most of them.
const createElement = document.createElement.bind(document);
document.createElement = (name, options) => {
  const element = createElement(name, options);
  if (name === 'style') element.nonce = nonce;
  return element;
};

document.addEventListener('DOMContentLoaded', () => {
  window.Scalar.createApiReference('#reference', {
    url: '/v1/openapi.json',
    // Test requests go to this very server, by whichever of its names the page was opened.
    servers: [{ url: window.location.origin, description: 'This server' }],
    theme: 'default',
    withDefaultFonts: false,
    telemetry: false,
    agent: { disabled: true },
    mcp: { disabled: true },
    showDeveloperTools: 'never',
    hideClientButton: true,
    // Light or dark as the system says, like every other page.
    hideDarkModeToggle: true,
    documentDownloadType: 'none',
    authentication: { preferredSecurityScheme: 'secretKey' },
    persistAuth: false,
    defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
    setPageTitle: () => 'API reference · Everyshare',
  });
});
