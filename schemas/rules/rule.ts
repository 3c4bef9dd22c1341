// The type of a rule between fields. JSON Schema checks one value; a rule checks two values together, or a value
// against facts (the current time, the venue's categories and origins). A rule is a pure function over the raw JSON. It
// never throws, and it ignores a value of the wrong type, because the schema has reported that already.

/** What a rule may need besides the body. */
export interface Facts {
  readonly now: Date;
  readonly categories: readonly [string, ...string[]];
  readonly origins: readonly string[];
}

export type RuleCode =
  | 'missing_field'
  | 'invalid_value'
  | 'invalid_format'
  | 'out_of_range'
  | 'not_unique'
  | 'not_allowed'
  | 'too_many_items';

/**
 * One broken rule: its place (a JSON pointer), its code, a message for people, and a value that is valid there.
 * `example_fix_field` is where that value is valid, if no value is valid at `field`.
 */
export interface Breach {
  readonly code: RuleCode;
  readonly field: string;
  readonly message: string;
  readonly expected: string;
  readonly example_fix: NonNullable<unknown>;
  readonly example_fix_field?: string;
}

export type Report = (breach: Breach) => void;

/** `at` is the JSON pointer of `value` ('' for the whole body), so that rules nest. */
export type Rule = (value: unknown, at: string, report: Report, facts: Facts) => void;
