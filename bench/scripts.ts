// The scripts that a page loads and their compressed size, for the rows whose result is a size.

import { request } from 'node:http';

/**
 * These scripts and every script that they import, each once. Without `isLazy` a script that is imported by a call counts
 * too: the page loads it later.
 */
export async function scriptsOf(first: readonly string[], isLazy = false): Promise<ReadonlySet<string>> {
  const seen = new Set(first);
  // The loop also visits scripts that it adds.
  for (const url of seen) {
    const imported = (await textOf(url, {})).matchAll(/\b(?:from|import)\s*(\(?)\s*['"]([./][^'"]+)['"]/g);
    for (const [, call, path] of imported) if (!isLazy || call === '') seen.add(new URL(path ?? '', url).href);
  }
  return seen;
}

export async function totalBytes(urls: Iterable<string>): Promise<number> {
  let bytes = 0;
  for (const url of urls) bytes += await compressedBytes(url);
  return bytes;
}

export async function textOf(url: string, headers: Readonly<Record<string, string>>): Promise<string> {
  const response = await fetch(url, { headers });
  if (response.status !== 200) throw new Error(`GET ${url} answered ${response.status}`);
  return response.text();
}

/** As sent: a script below a kilobyte is sent as it is. */
function compressedBytes(url: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const call = request(url, { headers: { 'accept-encoding': 'gzip' } }, (response) => {
      let bytes = 0;
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
      });
      response.on('end', () => {
        const isOk = response.statusCode === 200;
        if (isOk && (response.headers['content-encoding'] === 'gzip' || bytes < 1024)) resolve(bytes);
        else reject(new Error(`GET ${url} answered ${response.statusCode}, or was not compressed`));
      });
    });
    call.on('error', reject);
    call.end();
  });
}
