// The line at the foot of every screen: the call that does the same, and a drawer with it in four languages, its answer, and
// what it needs. It never contains a secret, only $EVERYSHARE_KEY. A call of the console alone is named, and not written for
// other clients: no key may make it.

import { signal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { type Answer, addressOf, answers } from '../client/api.ts';
import { Copy } from '../ui/controls.tsx';
import { Icon } from '../ui/icon.tsx';

export interface ApiCall {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** With its query: `/v1/checkouts?status=open`. */
  readonly path: string;
  readonly body?: unknown;
  /** What a key needs for it. Absent: the call takes a session of the console alone. */
  readonly scope?: string;
  /** How the SDK calls it: `everyshare.checkouts.list({ status: 'open' })`. */
  readonly sdk?: string;
  /** The tool of the tool server: `list_bookings`, with its arguments. */
  readonly tool?: { readonly name: string; readonly arguments: unknown };
  /** The path that this screen itself reads, where it is another one: its last answer is shown. */
  readonly reads?: string;
}

const call = signal<ApiCall | null>(null);

/** A screen names the call behind it. */
export function useApiCall(shown: ApiCall): void {
  const text = JSON.stringify(shown);
  useEffect(() => {
    const named = JSON.parse(text) as ApiCall;
    call.value = named;
    // The next screen may name its call before this one is gone.
    return () => {
      if (call.peek() === named) call.value = null;
    };
  }, [text]);
}

const TABS = ['curl', 'TypeScript', 'Python', 'Agent (MCP)'] as const;
type Tab = (typeof TABS)[number];

const IS_OPEN = 'everyshare.console.api_open';
const TAB = 'everyshare.console.api_tab';
const isOpen = signal(localStorage.getItem(IS_OPEN) === '1');
const tab = signal<Tab>(
  (TABS as readonly string[]).includes(localStorage.getItem(TAB) ?? '') ? (localStorage.getItem(TAB) as Tab) : 'curl',
);

export function toggleApiLine(): void {
  isOpen.value = !isOpen.value;
  localStorage.setItem(IS_OPEN, isOpen.value ? '1' : '0');
}

export function ApiLine(): JSX.Element | null {
  const shown = call.value;
  if (shown === null) return null;
  return (
    <aside class="api-line" aria-label="The call behind this page">
      {isOpen.value && <Drawer call={shown} />}
      <div class="line">
        <Icon name="code" /> <b>API</b>
        <code>
          <b>{shown.method}</b> {shown.path}
        </code>
        {isOfConsole(shown) ? (
          <span class="quiet">A call of the console alone</span>
        ) : (
          <Copy text={textOf('curl', shown)} label="Copy as curl">
            Copy as curl
          </Copy>
        )}
        <button type="button" class="button quiet" aria-expanded={isOpen.value} onClick={toggleApiLine}>
          <Icon name={isOpen.value ? 'down' : 'up'} /> <span>{isOpen.value ? 'Close' : 'Open'}</span> <kbd>.</kbd>
        </button>
      </div>
    </aside>
  );
}

function Drawer({ call: shown }: { readonly call: ApiCall }): JSX.Element {
  const isAlone = isOfConsole(shown);
  const text = isAlone ? `${shown.method} ${shown.path}` : textOf(tab.value, shown);
  const address = shown.reads ?? shown.path;
  const answer = lastAnswer(address);
  const choose = (name: Tab): void => {
    tab.value = name;
    localStorage.setItem(TAB, name);
  };
  return (
    <div class="drawer">
      <header>
        <b>What this page shows, as a call.</b>
        {!isAlone && (
          <div class="tab-list" role="group" aria-label="Language">
            {TABS.map((name) => (
              <button key={name} type="button" aria-pressed={tab.value === name} onClick={() => choose(name)}>
                {name}
              </button>
            ))}
          </div>
        )}
      </header>
      <div class="pair">
        <section>
          <header>
            <b>Call</b> <Copy text={text} label="Copy the call" />
          </header>
          <pre tabIndex={0}>{text}</pre>
          <p>
            {isAlone
              ? 'The console alone makes this call, with your session. No key may.'
              : needs(shown.scope ?? 'none')}
          </p>
        </section>
        <section>
          <header>
            <b>Answer</b>{' '}
            {answer !== undefined && (
              <span class={`chip ${answer.status < 400 ? 'green' : 'red'}`}>{answer.status}</span>
            )}
            {address !== shown.path && <span class="quiet">of GET {pathOf(address)}, which this page reads</span>}
          </header>
          <pre tabIndex={0}>{answer === undefined ? 'This page has not made the call.' : pretty(answer.body)}</pre>
        </section>
      </div>
    </div>
  );
}

const isOfConsole = ({ scope }: ApiCall): boolean => scope === undefined;
const needs = (scope: string): string =>
  scope.startsWith('none') ? `Needs no scope${scope.slice('none'.length)}.` : `Needs the scope ${scope}.`;

const pathOf = (text: string): string => text.split('?')[0] ?? '';

/** The answer to exactly this address, else the last one of its path: filters and pages are of the screen. */
function lastAnswer(address: string): Answer | undefined {
  const wanted = addressOf('GET', address);
  const ofPath = [...answers.value].filter(([one]) => pathOf(one) === pathOf(wanted));
  return answers.value.get(wanted) ?? ofPath.at(-1)?.[1];
}

const MAX_SHOWN = 20_000;

function pretty(body: string): string {
  const text = JSON.stringify(JSON.parse(body), null, 2);
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}\n…` : text;
}

function textOf(language: Tab, { method, path, body, sdk, tool }: ApiCall): string {
  const url = `${location.origin}${path}`;
  const json = body === undefined ? null : JSON.stringify(body, null, 2);
  if (language === 'curl') {
    const lines = [
      `curl ${method === 'GET' ? '' : `-X ${method} `}"${url}"`,
      '  -H "Authorization: Bearer $EVERYSHARE_KEY"',
    ];
    if (json !== null) lines.push('  -H "Content-Type: application/json"', `  -d '${json.replaceAll("'", "'\\''")}'`);
    return lines.join(' \\\n');
  }
  if (language === 'TypeScript') {
    if (sdk === undefined) return `// No method of the SDK: the console alone makes this call.\n// ${method} ${path}`;
    return `import { Everyshare } from '@everyshare/sdk';\n\nconst everyshare = new Everyshare({ apiKey: process.env.EVERYSHARE_KEY });\nconst answer = await ${sdk};`;
  }
  if (language === 'Python') {
    const json_ =
      json === null
        ? ''
        : `, json=${json
            .replaceAll(/\bnull\b/g, 'None')
            .replaceAll(/\btrue\b/g, 'True')
            .replaceAll(/\bfalse\b/g, 'False')}`;
    return `import os, requests\n\nanswer = requests.${method.toLowerCase()}(\n    "${url}",\n    headers={"Authorization": f"Bearer {os.environ['EVERYSHARE_KEY']}"}${json_},\n)\nprint(answer.json())`;
  }
  if (tool === undefined) return `No tool does this. An agent can call the API: ${method} ${path}`;
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: tool }, null, 2);
}
