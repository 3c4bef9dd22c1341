// Whether a series of figures, one a minute, is flat: the slope of its straight line, with the bound within which the true
// slope lies in 95 of 100 runs.

export interface Trend {
  readonly mean: number;
  /** Change over the whole series, as a part of the mean. */
  readonly drift: number;
  /** The drift may be this much more or less. */
  readonly bound: number;
  readonly result: 'flat' | 'grows' | 'falls' | 'not known';
}

/** A drift below this part of the mean is no drift. */
const MAX_FLAT_DRIFT = 0.05;
/** With a wider bound the figures say nothing. */
const MAX_BOUND = 0.5;

export function trendOf(values: readonly number[]): Trend {
  const count = values.length;
  const mean = values.reduce((sum, value) => sum + value, 0) / Math.max(count, 1);
  if (count < 4 || mean === 0) return { mean, drift: 0, bound: Number.POSITIVE_INFINITY, result: 'not known' };
  const middle = (count - 1) / 2;
  const squares = values.reduce((sum, _, at) => sum + (at - middle) ** 2, 0);
  const slope = values.reduce((sum, value, at) => sum + (at - middle) * (value - mean), 0) / squares;
  const residual = values.reduce((sum, value, at) => sum + (value - mean - slope * (at - middle)) ** 2, 0);
  const error = Math.sqrt(residual / (count - 2) / squares);
  const scale = (count - 1) / Math.abs(mean);
  const drift = slope * scale;
  const bound = studentT(count - 2) * error * scale;
  return { mean, drift, bound, result: resultOf(drift, bound) };
}

function resultOf(drift: number, bound: number): Trend['result'] {
  if (bound > MAX_BOUND && Math.abs(drift) <= bound) return 'not known';
  if (Math.abs(drift) <= bound || Math.abs(drift) < MAX_FLAT_DRIFT) return 'flat';
  return drift > 0 ? 'grows' : 'falls';
}

/** The 97.5th percentile of Student's distribution, to a few hundredths. */
function studentT(degrees: number): number {
  return 1.96 + 2.45 / degrees + 3 / degrees ** 2;
}
