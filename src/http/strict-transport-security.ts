// Strict-Transport-Security: a browser that reached the service by https once never asks for it by http again. Without
// includeSubDomains, since other hosts of the operator's domain are not ours.

import type { Urls } from './context.ts';

export const STRICT_TRANSPORT_SECURITY = 'max-age=31536000';

/** The operator says that the public address, or that of the pages, is https. */
export function isServedByHttps({ base, checkoutPages }: Urls): boolean {
  return base.startsWith('https:') || checkoutPages.startsWith('https:');
}
