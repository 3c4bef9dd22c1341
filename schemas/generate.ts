// Generates files from the contract: types.gen.ts (TypeScript types of every schema), openapi.gen.json, the types and
// methods of the SDK and of the console's client, and the tables of the providers' pages. With --check it writes nothing
// and fails if a file is not current.

import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { catalogue } from '../src/base/errors.ts';
import { readRegistry } from '../src/base/schema/registry.ts';
import { makeOpenApi } from '../src/http/openapi.ts';
import { consoleOperations, partnerOperations } from '../src/run/operations.ts';
import { providerPage } from './provider-pages.ts';
import { makeConsoleClient, makeSdkDefaults, makeSdkResources, makeSdkTypes } from './sdk.ts';
import type { Mapping, Reader } from './types.gen.ts';
import { makeTypes } from './types.ts';

const BASE_URL = 'https://api.everyshare.example';

const pathOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

export function generated(): Readonly<Record<string, string>> {
  const registry = readRegistry(pathOf('v1'));
  const pages = readdirSync(pathOf('v1/mappings')).map((file) => {
    const mapping = JSON.parse(readFileSync(pathOf(`v1/mappings/${file}`), 'utf8')) as Mapping;
    const name = `../docs/providers/${mapping.provider}.md`;
    const readerFile = pathOf(`v1/readers/${file}`);
    const reader = existsSync(readerFile) ? (JSON.parse(readFileSync(readerFile, 'utf8')) as Reader) : null;
    return [name, providerPage(readFileSync(pathOf(name), 'utf8'), mapping, reader)];
  });
  const { version } = JSON.parse(readFileSync(pathOf('../sdk/package.json'), 'utf8')) as { readonly version: string };
  return {
    ...Object.fromEntries(pages),
    'types.gen.ts': makeTypes(registry),
    'openapi.gen.json': `${JSON.stringify(makeOpenApi(partnerOperations, registry, BASE_URL), null, 2)}\n`,
    'console-openapi.gen.json': `${JSON.stringify(makeOpenApi(consoleOperations, registry, BASE_URL), null, 2)}\n`,
    '../sdk/src/types.gen.ts': makeSdkTypes(partnerOperations, registry, Object.keys(catalogue)),
    '../sdk/src/resources.gen.ts': makeSdkResources(partnerOperations, registry),
    '../web/console/client/types.gen.ts': makeSdkTypes(consoleOperations, registry, []),
    '../web/console/client/operations.gen.ts': makeConsoleClient(consoleOperations, registry),
    '../sdk/src/defaults.gen.ts': makeSdkDefaults(version, BASE_URL),
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const [name, text] of Object.entries(generated())) {
    if (!process.argv.includes('--check')) writeFileSync(pathOf(name), text);
    else if (readFileSync(pathOf(name), 'utf8') !== text)
      throw new Error(`schemas/${name} is not current: run npm run generate`);
  }
}
