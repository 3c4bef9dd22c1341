// How many calls a member may make in a rolling hour. A form of the hosted pages is a write, and counts apart.

export const MEMBER_READS_PER_HOUR = 600;
export const MEMBER_WRITES_PER_HOUR = 120;
