// What the processes wrote while they were beaten: no key, no client secret, no password among it.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Stage } from './stage.ts';
import type { Found } from './violation.ts';

const SHAPES: readonly (readonly [string, RegExp])[] = [
  ['a key of ours', /\bs[a-z]c_(test|live)_[A-Za-z0-9]{32}/],
  ['a key of the processor', /\b(sk|whsec)_(test_|live_)?[A-Za-z0-9]{24,}/],
  ['a client secret', /pi_[A-Za-z0-9]+_secret_[A-Za-z0-9]{6,}/],
  ['a database password', /postgres(ql)?:\/\/[^:@/\s"]+:(?!\[redacted\])[^@\s"]+@/],
];

type Logged = Pick<Stage, 'folder' | 'processorSecrets' | 'sharedEnv'>;

export function checkLogs(stage: Logged, shops: readonly { readonly key: string }[], found: Found): void {
  const folder = join(stage.folder, 'logs');
  const secrets = [
    ...shops.map(({ key }) => key),
    ...Object.values(stage.processorSecrets),
    stage.sharedEnv.ENCRYPTION_KEY ?? '',
    stage.sharedEnv.OPERATOR_TOKEN ?? '',
  ];
  for (const name of readdirSync(folder)) {
    const text = readFileSync(join(folder, name), 'utf8');
    for (const [what, shape] of SHAPES) if (shape.test(text)) found('logs give nothing away', name, `it holds ${what}`);
    if (secrets.some((secret) => secret !== '' && text.includes(secret))) {
      found('logs give nothing away', name, 'it holds a secret of this run');
    }
  }
}
