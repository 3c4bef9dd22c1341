// The processor's HTML pages: 3-D Secure, onboarding of a connected account, and the list of test cards. Plain HTML
// with one style sheet and no script. Links are relative, since a proxy may serve the pages under a longer path.

import { testCards } from './cards.ts';

export const PAGE_STYLE = `:root { color-scheme: light dark; --ink: #1b1f24; --soft: #57606a; --ground: #f6f7f9; --sheet: #fff; --line: #d5dae0; --go: #14532d; --stop: #8a1c1c; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8eaed; --soft: #a5adb8; --ground: #14171b; --sheet: #1d2126; --line: #3a414a; --go: #2f7d4f; --stop: #b34a4a; } }
* { box-sizing: border-box; }
body { margin: 0; min-height: 100vh; display: grid; grid-template-columns: minmax(0, 1fr); place-items: center; padding: 1rem; background: var(--ground); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; }
main { width: 100%; min-width: 0; max-width: 26rem; background: var(--sheet); border: 1px solid var(--line); border-radius: 0.75rem; padding: 1.75rem; }
main.wide { max-width: 60rem; }
.note { margin: 0 0 1rem; color: var(--soft); font-size: 0.875rem; }
h1 { margin: 0 0 0.5rem; font-size: 1.25rem; }
h2 { margin: 1.75rem 0 0.5rem; font-size: 1rem; }
.amount { font-size: 1.75rem; font-weight: 600; margin: 0.5rem 0 1.25rem; font-variant-numeric: tabular-nums; }
form { display: grid; gap: 0.75rem; }
button { font: inherit; font-weight: 600; padding: 0.75rem 1rem; min-height: 2.75rem; border-radius: 0.5rem; border: 1px solid transparent; background: var(--go); color: #fff; cursor: pointer; }
button.stop { background: transparent; color: var(--ink); border-color: var(--stop); }
button:focus-visible { outline: 3px solid #4c8dff; outline-offset: 2px; }
table { width: 100%; border-collapse: collapse; font-size: 0.9375rem; }
th, td { text-align: left; padding: 0.5rem 0.75rem 0.5rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
code { font-family: ui-monospace, monospace; font-size: 0.875rem; white-space: nowrap; }
.scroll { overflow-x: auto; }
`;

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
}

function page(title: string, style: string, content: string, isWide = false): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<link rel="stylesheet" href="${style}">
</head>
<body>
<main${isWide ? ' class="wide"' : ''}>
<p class="note">Sandbox: no real money</p>
${content}
</main>
</body>
</html>
`;
}

const ZERO_DECIMAL_CURRENCIES = new Set([
  'bif',
  'clp',
  'djf',
  'gnf',
  'jpy',
  'kmf',
  'krw',
  'mga',
  'pyg',
  'rwf',
  'ugx',
  'vnd',
  'vuv',
  'xaf',
  'xof',
  'xpf',
]);

function formatMoney(amount: number, currency: string): string {
  const value = ZERO_DECIMAL_CURRENCIES.has(currency) ? amount : amount / 100;
  return new Intl.NumberFormat('en-US', { style: 'currency', currency }).format(value);
}

export function challengePage(
  intent: { amount: number; currency: string; description: string | null },
  token: string,
): string {
  const purpose = intent.description === null ? '' : `<p>${escapeHtml(intent.description)}</p>\n`;
  return page(
    'Approve this payment',
    'style.css',
    `<h1>Approve this payment</h1>
<p>Your bank asks whether this is you.</p>
${purpose}<p class="amount">${escapeHtml(formatMoney(intent.amount, intent.currency))}</p>
<form method="post">
<input type="hidden" name="token" value="${escapeHtml(token)}">
<button name="answer" value="approve">Approve</button>
<button class="stop" name="answer" value="fail">Fail</button>
</form>`,
  );
}

export function challengeDonePage(hasSucceeded: boolean): string {
  const title = hasSucceeded ? 'Approved' : 'Not approved';
  return page(title, 'style.css', `<h1>${title}</h1>\n<p>You can close this window.</p>`);
}

export function onboardingPage(name: string, token: string): string {
  return page(
    'Set up payouts',
    '../3ds/style.css',
    `<h1>Set up payouts</h1>
<p>${escapeHtml(name)} would give its bank account here. In the sandbox one button does it.</p>
<form method="post">
<input type="hidden" name="token" value="${escapeHtml(token)}">
<button>Complete onboarding</button>
</form>`,
  );
}

export function onboardingDonePage(): string {
  return page('Set up payouts', '../3ds/style.css', '<h1>Payouts are set up</h1>\n<p>You can close this window.</p>');
}

export function notFoundPage(style: string): string {
  return page('Nothing here', style, '<h1>Nothing here</h1>\n<p>This link is not valid, or not any more.</p>');
}

const formatCardNumber = (number: string): string =>
  number.length === 15 ? number.replace(/(\d{4})(\d{6})(\d{5})/, '$1 $2 $3') : number.replace(/(\d{4})(?=\d)/g, '$1 ');

function cardRows(group: string): string {
  return testCards
    .filter((card) => card.group === group)
    .map(
      (card) =>
        `<tr><td><code>${formatCardNumber(card.number)}</code></td><td>${escapeHtml(card.description)}</td><td><code>${card.tokens[0] ?? ''}</code></td></tr>`,
    )
    .join('\n');
}

const GROUP_TITLES: Readonly<Record<string, string>> = {
  works: 'Cards that work',
  refused: 'Cards that are declined',
  'asks its owner': 'Cards that ask their owner (3-D Secure)',
  'trouble later': 'Cards that make trouble later',
};

export function cardsPage(): string {
  const tables = Object.entries(GROUP_TITLES).map(
    ([group, title]) => `<h2>${title}</h2>
<div class="scroll"><table>
<thead><tr><th scope="col">Number</th><th scope="col">What happens</th><th scope="col">From a server</th></tr></thead>
<tbody>
${cardRows(group)}
</tbody>
</table></div>`,
  );
  const intro = '<h1>Test cards</h1>\n<p>Any expiry date that is not past, and any security code.</p>';
  return page('Test cards', '3ds/style.css', `${intro}\n${tables.join('\n')}`, true);
}

/** The test cards as JSON. */
export function cardsJson(): string {
  const cards = testCards.map(({ name, number, brand, tokens, description, group }) => ({
    name,
    number,
    brand,
    payment_method: tokens[0],
    tokens,
    says: description,
    group,
  }));
  return JSON.stringify({ cards });
}
