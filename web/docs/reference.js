// Starts the API reference. It runs before the reference's own script: first it lets that script add its styles under the
// page's strict policy, then, once everything is loaded, it starts the reference with all that would call another origin off.

const nonce = document.querySelector('meta[property=csp-nonce]').content;

// Style elements made by script need the page's nonce, and most of those that the reference makes do not ask for it.
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
