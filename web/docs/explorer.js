// Starts the API explorer. It runs before the explorer's own script: it gives the styles that this script adds the
// page's nonce, then starts the explorer with every feature disabled that calls another origin.

const nonce = document.querySelector('meta[property=csp-nonce]').content;

// Style elements made by script need the page's nonce, and the explorer omits it on most of them.
const createElement = document.createElement.bind(document);
document.createElement = (name, options) => {
  const element = createElement(name, options);
  if (name === 'style') element.nonce = nonce;
  return element;
};

document.addEventListener('DOMContentLoaded', () => {
  window.Scalar.createApiReference('#explorer', {
    url: '/v1/openapi.json',
    // Test requests go to this server, under the host name with which the page was opened.
    servers: [{ url: window.location.origin, description: 'This server' }],
    theme: 'default',
    withDefaultFonts: false,
    telemetry: false,
    agent: { disabled: true },
    mcp: { disabled: true },
    showDeveloperTools: 'never',
    hideClientButton: true,
    // Light or dark follows the system setting, as on every other page.
    hideDarkModeToggle: true,
    documentDownloadType: 'none',
    authentication: { preferredSecurityScheme: 'secretKey' },
    persistAuth: false,
    defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
    setPageTitle: () => 'API explorer · Everyshare',
  });
});
