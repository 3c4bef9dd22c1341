// Reads Prometheus text into samples, and drives a world so that its series have values.

import { setTimeout as delay } from 'node:timers/promises';

export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export function parseScrape(text: string): Sample[] {
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, name = '', labels = '', value = ''] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
      const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, key, text]) => [key, text]);
      return { name, labels: Object.fromEntries(pairs), value: Number(value.replace('+Inf', 'Infinity')) };
    });
}

export async function scrape(url: string): Promise<Sample[]> {
  const response = await fetch(`${url}/metrics`);
  if (response.status !== 200) throw new Error(`the scrape was answered ${response.status}`);
  return parseScrape(await response.text());
}

/** Waits until the series has a sample other than 0. */
export async function untilCounted(
  url: string,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): Promise<void> {
  for (let tries = 0; tries < 300; tries++) {
    const found = (await scrape(url)).some(
      (sample) =>
        sample.name === name &&
        sample.value !== 0 &&
        Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
    );
    if (found) return;
    await delay(50);
  }
  throw new Error(`${name} stays 0`);
}
