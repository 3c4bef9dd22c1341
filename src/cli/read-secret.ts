// Reads a secret that was not given as an option: from a prompt that shows nothing of it, or from standard input.

import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { commandError } from './cli-error.ts';

const MAX_CHARACTERS = 1_000;

export async function readSecret(
  input: NodeJS.ReadableStream & { readonly isTTY?: boolean },
  question: string,
  print: (text: string) => void,
): Promise<string> {
  return (input.isTTY === true ? await prompt(input, question, print) : await readAll(input)).trim();
}

async function prompt(input: NodeJS.ReadableStream, question: string, print: (text: string) => void): Promise<string> {
  // What is typed is written to this stream instead of the terminal.
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input, output: silent, terminal: true });
  print(question);
  try {
    // Ctrl-C and the end of the input close it without an answer.
    const closed = new Promise<never>((_, reject) => {
      lines.once('close', () => reject(commandError('no key was given.')));
    });
    return await Promise.race([lines.question(''), closed]);
  } finally {
    lines.close();
    print('\n');
  }
}

async function readAll(input: NodeJS.ReadableStream): Promise<string> {
  let text = '';
  for await (const chunk of input) {
    text += String(chunk);
    if (text.length > MAX_CHARACTERS) throw commandError('standard input is not a key: it is far too long.');
  }
  return text;
}
