// Reads the mapping files in schemas/v1/mappings, one for each provider, once when the process starts.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Mapping } from '../../../../schemas/types.gen.ts';
import { PROVIDERS } from '../providers.ts';

export type Mappings = ReadonlyMap<string, Mapping>;

export function readMappings(folder: string): Mappings {
  return new Map(
    PROVIDERS.map((provider) => [
      provider,
      JSON.parse(readFileSync(join(folder, `${provider}.json`), 'utf8')) as Mapping,
    ]),
  );
}

export function mappingOf(mappings: Mappings, provider: string): Mapping {
  const mapping = mappings.get(provider);
  if (mapping === undefined) throw new Error(`provider ${provider} has no mapping`);
  return mapping;
}
