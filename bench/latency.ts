// Figures of a latency bench: percentiles, and the two sides of a round that are measured together.

/** The value below which this part (0 to 1) of the values lies. */
export function percentile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? Number.POSITIVE_INFINITY;
}

interface BothSides {
  readonly ours: number;
  readonly base: number;
}

/** Both sides come from one measurement: the side that is asked first measures, and the other one takes its figure. */
export function measuredTogether(measure: () => Promise<BothSides>): {
  ours(): Promise<number>;
  base(): Promise<number>;
} {
  let open: { readonly side: keyof BothSides; readonly figures: BothSides } | null = null;
  const take = async (side: keyof BothSides): Promise<number> => {
    if (open !== null && open.side !== side) {
      const { figures } = open;
      open = null;
      return figures[side];
    }
    const figures = await measure();
    open = { side, figures };
    return figures[side];
  };
  return { ours: () => take('ours'), base: () => take('base') };
}
