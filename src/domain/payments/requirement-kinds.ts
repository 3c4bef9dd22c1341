// What the processor still needs of a venue, in few kinds that a page can name in plain words. The processor's own words
// are technical (`individual.verification.document`) and their list is open.

export type RequirementKind = 'bank' | 'terms' | 'person' | 'business' | 'other';

const KINDS: readonly (readonly [RequirementKind, RegExp])[] = [
  ['bank', /outbound_destination|external_account|bank_account/],
  ['terms', /terms_of_service|tos_acceptance|attestation/],
  ['person', /individual|person|representative|owner|director|executive/],
  ['business', /business|company|merchant|profile|support|\burl\b|\bmcc\b/],
];

/** Each kind once, in the order of KINDS; `other` for what no kind describes. */
export function requirementKinds(requirements: readonly string[]): readonly RequirementKind[] {
  const found = new Set(
    requirements.map((text) => KINDS.find(([, pattern]) => pattern.test(text))?.[0] ?? ('other' as const)),
  );
  return [...KINDS.map(([kind]) => kind), 'other' as const].filter((kind) => found.has(kind));
}
