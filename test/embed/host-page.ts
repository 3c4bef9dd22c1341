// A site of a partner for the tests of the embed: a server of its own on another origin than the API, whose pages have a strict
// content security policy, and a record of what a page does.

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';

export interface HostSite {
  readonly origin: string;
  /** Serves a script or a stylesheet of the site. */
  serve(path: string, text: string): void;
  /** The html of the body at a path; the head loads the embed. */
  show(path: string, body: string, attributes?: string): string;
  close(): Promise<void>;
}

/** No inline script or style, no eval, and Trusted Types: only the address of the API is allowed. */
function policyFor(api: string): string {
  return [
    "default-src 'none'",
    `script-src 'self' ${api}`,
    "style-src 'self'",
    `connect-src ${api}`,
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
  ].join('; ');
}

const TYPES: Readonly<Record<string, string>> = { '.js': 'text/javascript', '.css': 'text/css' };

/** By the name localhost, which is another site than the API's 127.0.0.1. */
export async function openHostSite(api: () => string): Promise<HostSite> {
  const pages = new Map<string, string>();
  const server: Server = createServer((request, response) => {
    const html = pages.get(request.url ?? '');
    response.writeHead(html === undefined ? 404 : 200, {
      'content-type': `${TYPES[/\.\w+$/.exec(request.url ?? '')?.[0] ?? ''] ?? 'text/html'}; charset=utf-8`,
      'content-security-policy': policyFor(api()),
    });
    response.end(html ?? '');
  });
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  const origin = `http://localhost:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    serve: (path, text) => void pages.set(path, text),
    show(path, body, attributes = 'lang="en"') {
      const head = `<meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">
        <title>Your booking</title><script type="module" src="${api()}/embed/v1.js"></script>`;
      pages.set(
        path,
        `<!doctype html><html ${attributes}><head>${head}</head><body><main><h1>Your booking</h1>${body}</main></body></html>`,
      );
      return `${origin}${path}`;
    },
    async close() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

export interface PageRecord {
  /** Messages of the console that are errors, such as a violated policy; not those about a failed request. */
  readonly errors: string[];
  readonly warnings: string[];
  /** Requests to the API, without preflights, which the browser does not show. */
  readonly requests: string[];
  /** Streams that are open. */
  readonly streams: Set<unknown>;
}

export function recordPage(page: Page, api: string): PageRecord {
  const record: PageRecord = { errors: [], warnings: [], requests: [], streams: new Set() };
  page.on('pageerror', (error) => record.errors.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'warning') record.warnings.push(message.text());
    const isFailedRequest = /Failed to load resource|CORS policy/.test(message.text());
    if (message.type() === 'error' && !isFailedRequest) record.errors.push(message.text());
  });
  page.on('request', (request) => {
    if (!request.url().startsWith(`${api}/v1/`)) return;
    record.requests.push(request.url().slice(api.length));
    if (request.url().endsWith('/stream')) record.streams.add(request);
  });
  page.on('requestfinished', (request) => record.streams.delete(request));
  page.on('requestfailed', (request) => record.streams.delete(request));
  return record;
}

/** Records the events of the embed: `takeEvents` reads them. */
export async function recordEvents(page: Page): Promise<void> {
  const names = ['update', 'open', 'collecting', 'funded', 'completed', 'expired', 'canceled', 'error'];
  await page.addInitScript(`globalThis.embedEvents ??= [];
    if (embedEvents.isRecorded !== true) for (const name of ${JSON.stringify(names)}) document.addEventListener('everyshare:' + name, (event) => {
      const { progress, previousStatus, code } = event.detail;
      const what = [code, progress?.status, previousStatus && 'after ' + previousStatus];
      embedEvents.push([name, ...what].filter(Boolean).join(' '));
    });
    embedEvents.isRecorded = true;`);
}

export const eventsOf = (page: Page): Promise<string[]> => page.evaluate<string[]>('embedEvents');
