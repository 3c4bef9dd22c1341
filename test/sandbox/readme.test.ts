// sandbox/README.md is true: its example runs as it is printed, and its tables name every card, fault and file.

import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { testCards } from '../../sandbox/processor/cards.ts';
import { FAULT_KINDS } from '../../sandbox/processor/faults.ts';
import { readStateFile, settingsFromEnv } from '../../sandbox/processor/process-state.ts';
import { packageRoot } from '../../src/base/package-root.ts';
import { waitFor } from '../support/wait-for.ts';

const readme = readFileSync(join(packageRoot, 'sandbox', 'README.md'), 'utf8');

/** The fenced block of this language that contains `text`. */
function block(language: string, text: string): string {
  const blocks = [...readme.matchAll(/```(\w+)\n([\s\S]*?)```/g)];
  const found = blocks.find(([, name, content]) => name === language && content?.includes(text));
  if (found?.[2] === undefined) throw new Error(`the README has no ${language} block with ${text}`);
  return found[2];
}

it('the example of the README runs against a processor with the settings of the README', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'everyshare-readme-'));
  const exported = block('sh', 'npx everyshare processor').matchAll(/^export (\w+)=(.*)$/gm);
  const settings = Object.fromEntries([...exported].map(([, name, value]) => [name ?? '', value ?? '']));
  expect(settingsFromEnv(settings).port).toBe(12111);
  // Another program may use that port on this machine.
  const env = { ...process.env, ...settings, EVERYSHARE_PROCESSOR_FOLDER: folder, EVERYSHARE_PROCESSOR_PORT: '0' };
  const program = ['--import', 'tsx', join('test', 'sandbox', 'processor-child.ts')];
  const processor = spawn(process.execPath, program, { cwd: packageRoot, env, stdio: 'ignore' });
  const ended = new Promise((resolve) => processor.once('exit', resolve));
  try {
    await waitFor('the processor writes its state file', () => readStateFile(folder) !== null);
    const example = block('js', 'new Stripe').replace('12111', String(readStateFile(folder)?.port));
    const lines = (await run(example)).trim().split('\n');
    expect(lines.filter((line) => !line.startsWith('event'))).toEqual([
      'held requires_capture 2500',
      'captured succeeded 2500',
      'transferred 2000',
      'refunded succeeded 500',
      'declined StripeCardError insufficient_funds',
    ]);
    expect(lines.filter((line) => line.startsWith('event')).sort()).toEqual([
      'event charge.refunded',
      'event payment_intent.succeeded',
    ]);
  } finally {
    processor.kill('SIGTERM');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  }
});

/** The output of a program. It is resolved from the root, as a program of the reader would be. */
function run(source: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['--input-type=module', '-e', source], { cwd: packageRoot });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => {
        output += chunk.toString('utf8');
      });
    }
    child.once('close', (code) => (code === 0 ? resolve(output) : reject(new Error(output))));
  });
}

it('the README names every test card, every kind of fault and every file', () => {
  const cells = readme.split('\n').map((line) => line.split('|').map((cell) => cell.trim()));
  for (const { number, tokens, description } of testCards) {
    expect(cells).toContainEqual(['', `\`${number}\``, `\`${tokens[0]}\``, description, '']);
  }
  for (const kind of FAULT_KINDS) expect(cells.map(([, first]) => first)).toContain(`\`${kind}\``);
  const files = readdirSync(join(packageRoot, 'sandbox'), { recursive: true, encoding: 'utf8' });
  for (const file of files.filter((name) => name.endsWith('.ts'))) {
    expect(readme).toContain(`\`${file.split('/').at(-1)}\``);
  }
});
