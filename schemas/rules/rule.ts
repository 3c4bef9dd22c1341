// What a rule between fields is. JSON Schema says what one value may be; a rule says what two values, or a value and
// the world (the clock, the venue's categories and origins), may be together. A rule is a pure function over the raw
// JSON: it never throws, and it says nothing about a value whose type is wrong, since the schema has said that already.

/** What a rule may need to know besides the body. */
export interface Facts {
  readonly now: Date;
  readonly categories: readonly string[];
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

/** One broken rule: where (a JSON pointer), which code, what to tell a person, and a value that would pass there. */
export interface Breach {
  readonly code: RuleCode;
  readonly field: string;
  readonly message: string;
  readonly expected: string;
  readonly example_fix: unknown;
}

export type Report = (breach: Breach) => void;

/** `at` is the JSON pointer of `value` ('' for the whole body), so that rules nest. */
export type Rule = (value: unknown, at: string, report: Report, facts: Facts) => void;
