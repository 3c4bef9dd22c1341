// The events of a run by time and process, as JSON lines: the nemesis writes them, the summary and the plot read them.

export interface TimelineEvent {
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
    | 'pay out'
    /** An action of the plan was done; `detail` is its kind. */
    | 'done'
    | 'skipped'
    | 'error'
    /** A new standby follows the primary. */
    | 'standby'
    | 'healed';
  readonly detail?: string;
  readonly pid?: number;
  /** The process was ready, and exited without a request of the nemesis. */
  readonly isUnexpected?: boolean;
}
