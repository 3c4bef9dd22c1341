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
    /** A fault of the leader of a Patroni cluster begins; `detail` is its kind and the server. */
    | 'failover'
    /** The cluster has healed; `detail` is the server that leads it. */
    | 'leader'
    /** The database could be written to again; `detail` is for how many milliseconds it could not. */
    | 'outage'
    | 'healed';
  readonly detail?: string;
  readonly pid?: number;
  /** The process was ready, and exited without a request of the nemesis. */
  readonly isUnexpected?: boolean;
}
