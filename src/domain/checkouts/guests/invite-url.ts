// The address that an invited guest opens.

import type { GuestServices } from './guest-services.ts';

/** The URL of an invite, from its sealed token. */
export function inviteUrl(services: Pick<GuestServices, 'seal' | 'pageBase'>, shareId: string, token: Buffer): string {
  return `${services.pageBase()}/s/${services.seal.open(token, `invite ${shareId}`)}`;
}
