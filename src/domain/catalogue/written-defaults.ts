// The defaults of stored content, written out for answers: a member that was left out and has a default in the schema is
// answered with it. They are filled in on reading, so that what was stored before has them too.

interface WithMedia {
  readonly media?: readonly { readonly type?: string }[];
}

/** A medium without a type is an image. */
export function withMediaTypes<Content extends object>(content: Content): Content {
  const { media } = content as WithMedia;
  return media === undefined
    ? content
    : { ...content, media: media.map((one) => ({ ...one, type: one.type ?? 'image' })) };
}

interface WithBlocks {
  readonly availability?: { readonly blocks?: readonly { readonly status?: string }[] };
}

/** A block of time without a status is busy. */
export function withBlockStatuses<Content extends object>(content: Content): Content {
  const { availability } = content as WithBlocks;
  if (availability?.blocks === undefined) return content;
  const blocks = availability.blocks.map((block) => ({ ...block, status: block.status ?? 'busy' }));
  return { ...content, availability: { ...availability, blocks } };
}
