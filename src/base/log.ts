// Structured logs: one JSON line for each fact, on standard error, so that standard output stays for people and --json.
// Two rules keep secrets out: call sites log routes and ids, never bodies or headers; and every finished line is scrubbed of
// anything shaped like a key, secret, token or phone before it is written.

import { type DestinationStream, type Logger, pino } from 'pino';

export type Log = Logger;

const SECRET_SHAPES: readonly (readonly [RegExp, string])[] = [
  [/\b(svc_(?:test|live)|pk_(?:test|live)|sk_(?:test|live)|rk_(?:test|live)|opt)_[A-Za-z0-9]{8,}/g, '$1_[redacted]'],
  [/\bwhsec_[A-Za-z0-9+/]{8,}=*/g, 'whsec_[redacted]'],
  [/_secret_[A-Za-z0-9]{6,}/g, '_secret_[redacted]'],
  [/\beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}/g, '[redacted token]'],
  [/\bBearer\s+[^\s"\\]+/gi, 'Bearer [redacted]'],
  [/\+[1-9][0-9]{7,14}\b/g, '[redacted phone]'],
  [/(\/v1\/hooks\/[a-z]+\/|\/s\/|\/payouts\/)[\w-]{16,}/g, '$1[redacted]'],
  [/\b(everyshare_(?:session|sign_in)=)[\w-]+/g, '$1[redacted]'],
  [/\b(postgres(?:ql)?:\/\/[^:@/\s"]*:)[^@\s"]+@/g, '$1[redacted]@'],
];

export function scrub(line: string): string {
  let clean = line;
  for (const [shape, instead] of SECRET_SHAPES) clean = clean.replace(shape, instead);
  return clean;
}

/** `processName`: its name among the processes of one command. */
export function makeLog(
  level: string,
  role: string,
  destination?: DestinationStream,
  processName: string | null = null,
): Log {
  return pino(
    {
      level,
      base: { role, pid: process.pid, ...(processName === null ? {} : { process: processName }) },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      hooks: { streamWrite: scrub },
    },
    destination ?? pino.destination({ dest: 2, sync: false }),
  );
}
