// Runs lint, types and the check for unused code at the same time, before the tests (`npm test`). Prints one line for
// each that succeeds, and the whole output of each that fails. Exits with 1 if one fails.

import { spawn } from 'node:child_process';

const SCRIPTS = ['lint', 'types', 'unused'];

/** Runs a script of package.json, and returns whether it succeeded. */
function run(script) {
  const startedAt = Date.now();
  const child = spawn('npm', ['run', '--silent', script], {
    env: { ...process.env, FORCE_COLOR: process.stdout.isTTY ? '1' : '0' },
    stdio: ['ignore', 'pipe', 'pipe'],
    shell: process.platform === 'win32',
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      output += chunk;
    });
  return new Promise((resolve) => {
    child.on('error', (error) => {
      output += error.message;
    });
    child.on('close', (code) => {
      const seconds = ((Date.now() - startedAt) / 1000).toFixed(1);
      const failure = `${output}\n${script}: FAILED after ${seconds} s. Repeat it alone: npm run ${script}\n`;
      process.stdout.write(code === 0 ? `${script}: nothing found in ${seconds} s\n` : failure);
      resolve(code === 0);
    });
  });
}

const results = await Promise.all(SCRIPTS.map(run));
if (results.includes(false)) process.exitCode = 1;
