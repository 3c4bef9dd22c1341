// What an installation needs at the card processor: `everyshare processor setup` registers it, and `doctor` looks for it.

import type { Mode } from '../../base/config.ts';
import type { Processor, SetupKind } from './processor.ts';

interface NeededSetup {
  readonly kind: SetupKind;
  /** The domain, or the URL that gets events. */
  readonly name: string;
}

/** `url`: the public address of the service. */
export function neededSetup(url: URL, mode: Mode): readonly NeededSetup[] {
  const notices = `${url.origin}/processor/notices/${mode}`;
  return [
    { kind: 'payment method domain', name: url.hostname },
    { kind: 'webhook endpoint', name: notices },
    { kind: 'event destination', name: notices },
  ];
}

export async function missingSetup(processor: Processor, url: URL): Promise<SetupKind[]> {
  const missing: SetupKind[] = [];
  for (const { kind, name } of neededSetup(url, processor.mode)) {
    if (!(await processor.isRegistered(kind, name))) missing.push(kind);
  }
  return missing;
}
