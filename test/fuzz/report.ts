// A request that was answered badly, told whole: what was sent, what came, and the line that sends it again alone.

import type { Finding } from './run.ts';

const MOST = 3_000;

export function inWords({ seed, request, answer, faults }: Finding): string {
  const { number, label, method, path, headers, body, wire } = request;
  const sent =
    wire === undefined
      ? [`${method} ${path}`, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`), '', shown(body)]
      : [shown(wire)];
  const came = [
    `${answer.status} in ${Math.round(answer.ms)} ms`,
    ...headersOf(answer.headers),
    '',
    answer.text.slice(0, MOST),
  ];
  return [
    `request ${seed}:${number} (${label}): ${faults.join('; ')}`,
    ...indented('> ', sent),
    ...indented('< ', came),
    `again: npm run fuzz -- --replay ${seed}:${number}`,
  ].join('\n');
}

/** As a document for a file: nothing is cut, and bytes that are no text are in base64. */
export function asRecord({ seed, request, answer, faults }: Finding): object {
  const { body, wire, ...rest } = request;
  const bytes = (one: Buffer | null | undefined): string | null => (one == null ? null : one.toString('base64'));
  return {
    replay: `${seed}:${request.number}`,
    faults,
    request: { ...rest, body: bytes(body), wire: bytes(wire) },
    answer,
  };
}

function shown(bytes: Buffer | null): string {
  if (bytes === null) return '(no body)';
  const text = bytes.toString('utf8');
  const fits = Buffer.from(text).equals(bytes);
  const whole = fits ? text : `(base64) ${bytes.toString('base64')}`;
  return whole.length > MOST ? `${whole.slice(0, MOST)}… (${bytes.length} bytes)` : whole;
}

function headersOf(headers: NodeJS.Dict<string | string[]>): string[] {
  return Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
}

const indented = (mark: string, lines: readonly string[]): string[] =>
  lines.flatMap((line) => line.split('\n')).map((line) => mark + line);
