// Formats a finding: the complete request and response, and the command that repeats the request.

import type { Finding } from './run.ts';

const MAX_SHOWN = 3_000;

export function formatFinding({ seed, request, response, faults }: Finding): string {
  const { number, label, method, path, headers, body, rawBytes } = request;
  const sent =
    rawBytes === undefined
      ? [
          `${method} ${path}`,
          ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
          '',
          formatBytes(body),
        ]
      : [formatBytes(rawBytes)];
  const received = [
    `${response.status} in ${Math.round(response.ms)} ms`,
    ...headersOf(response.headers),
    '',
    response.text.slice(0, MAX_SHOWN),
  ];
  return [
    `request ${seed}:${number} (${label}): ${faults.join('; ')}`,
    ...prefixLines('> ', sent),
    ...prefixLines('< ', received),
    `repeat: npm run fuzz -- --replay ${seed}:${number}`,
  ].join('\n');
}

/** The finding as a JSON record: complete, with bodies in base64. */
export function findingRecord({ seed, request, response, faults }: Finding): object {
  const { body, rawBytes, ...rest } = request;
  const bytes = (buffer: Buffer | null | undefined): string | null =>
    buffer == null ? null : buffer.toString('base64');
  return {
    replay: `${seed}:${request.number}`,
    faults,
    request: { ...rest, body: bytes(body), rawBytes: bytes(rawBytes) },
    response,
  };
}

function formatBytes(bytes: Buffer | null): string {
  if (bytes === null) return '(no body)';
  const text = bytes.toString('utf8');
  const isText = Buffer.from(text).equals(bytes);
  const whole = isText ? text : `(base64) ${bytes.toString('base64')}`;
  return whole.length > MAX_SHOWN ? `${whole.slice(0, MAX_SHOWN)}… (${bytes.length} bytes)` : whole;
}

function headersOf(headers: NodeJS.Dict<string | string[]>): string[] {
  return Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
}

const prefixLines = (mark: string, lines: readonly string[]): string[] =>
  lines.flatMap((line) => line.split('\n')).map((line) => mark + line);
