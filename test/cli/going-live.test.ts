// The commands of the guide "Going live" work as it says, in its order, at the embedded processor; and its numbers are
// right.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { feeOf } from '../../src/base/money.ts';
import { packageRoot } from '../../src/base/package-root.ts';
import { withFastProcessorClock } from '../support/fast-processor-clock.ts';
import { type CommandLine, commandLine } from '../support/run-command.ts';
import { openTestWorld, type TestWorld } from '../support/test-world.ts';

const guide = readFileSync(join(packageRoot, 'docs', 'guides', 'going-live.md'), 'utf8');
const commands = [...guide.matchAll(/```sh\n([\s\S]*?)```/g)].flatMap(([, block = '']) => block.trim().split('\n'));

let world: TestWorld;
let cli: CommandLine;
beforeAll(async () => {
  world = await openTestWorld();
  cli = commandLine(world);
});
afterAll(() => world.close());

/** As a shell divides a line: by spaces, except inside double quotes. */
const wordsOf = (line: string): string[] =>
  [...line.matchAll(/"([^"]*)"|\S+/g)].map(([word, quoted]) => quoted ?? word);

describe('the guide on going live', () => {
  it('has commands that succeed one after another', async () => {
    let venueId = '';
    expect(commands.length).toBeGreaterThan(7);
    for (const line of commands) {
      const [npx, everyshare, ...argv] = wordsOf(line);
      expect([npx, everyshare]).toEqual(['npx', 'everyshare']);
      const output = await withFastProcessorClock(world, () =>
        cli.run(...argv.map((word) => (word === 'ID' ? venueId : word)), '--json'),
      );
      expect({ line, ...output }).toMatchObject({ exit: 0, err: '' });
      if (argv[0] === 'venue' && argv[1] === 'create') {
        venueId = (JSON.parse(output.out) as { readonly id: string }).id;
      }
    }
  });

  it('has an example of the fee that is right to the cent', () => {
    const cost = 6 * (Math.round(4000 * 0.029) + 30);
    const [low, high] = [feeOf(24_000, { bps: 300, fixed: 0 }), feeOf(24_000, { bps: 300, fixed: 200 })];
    const text = (amount: number): string => (amount / 100).toFixed(2);
    expect(guide).toContain(`cost you 6 × ${text(cost / 6)} = ${text(cost)}`);
    expect(guide).toContain(`earns ${text(low)} of these 240.00, and loses ${text(cost - low)}`);
    expect(guide).toContain(`a fee of 3 % and 2.00 earns ${text(high)}`);
  });
});
