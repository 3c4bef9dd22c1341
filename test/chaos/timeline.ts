// What happened to whom and when, as JSON lines: the nemesis writes it, the verdict and the plot read it.

export interface Happening {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly who: string;
  readonly what:
    | 'start'
    | 'ready'
    | 'exit'
    | 'kill'
    | 'term'
    | 'stop'
    | 'continue'
    | 'restart'
    | 'kill backend'
    | 'cut'
    | 'faults'
    | 'faults over'
    /** A deed of the plan was done; detail: its kind. */
    | 'done'
    | 'skipped'
    | 'trouble'
    /** A standby follows (again). */
    | 'standby'
    | 'quiet';
  readonly detail?: string;
  readonly pid?: number;
  /** Of an exit: it was ready, and nobody had asked it to end. */
  readonly unasked?: boolean;
}
