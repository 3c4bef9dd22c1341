// The receivers of examples/receivers: `verify` of each language is what the guide shows, accepts real deliveries and nothing
// else, and the program around it processes each event once. A language that is not installed on this machine is reported as not
// run.

import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packageRoot } from '../../src/base/package-root.ts';
import { signatureOf } from '../../src/domain/webhooks/deliveries/signature.ts';
import { waitFor } from '../support/wait-for.ts';
import { DeliveryFixture } from './delivery-fixture.ts';

const PAGE = readFileSync(join(packageRoot, 'docs', 'guides', 'webhooks.md'), 'utf8');

const FOLDER = join(packageRoot, 'examples', 'receivers');

interface Case {
  readonly name: string;
  readonly body: string;
  readonly header: string;
  readonly secret: string;
  readonly isValid: boolean;
}

/** How a language's code is run: the code around it, and the command. Cases are lines of three base64 words. */
interface Runner {
  readonly fence: string;
  readonly file: string;
  readonly command: readonly string[];
  /** The arguments that start the receiver, in its folder. */
  readonly receiver: (port: number) => readonly string[];
  readonly wrap: (code: string) => string;
}

const RUNNERS: Readonly<Record<string, Runner>> = {
  TypeScript: {
    fence: 'ts',
    file: 'verify.ts',
    receiver: () => ['receiver.ts'],
    command: [
      process.execPath,
      '--import',
      pathToFileURL(join(packageRoot, 'node_modules/tsx/dist/esm/index.mjs')).href,
    ],
    wrap: (code) => `${code}
import { readFileSync } from 'node:fs';
const text = (word: string) => Buffer.from(word, 'base64');
for (const line of readFileSync(0, 'utf8').trim().split('\\n')) {
  const [body, header, secret] = line.split(' ');
  console.log(verify(text(body ?? ''), text(header ?? '').toString(), text(secret ?? '').toString()) ? 'yes' : 'no');
}
`,
  },
  Python: {
    fence: 'python',
    file: 'verify.py',
    receiver: () => ['receiver.py'],
    command: ['python3'],
    wrap: (code) => `${code}
import base64, sys
for line in sys.stdin:
    body, header, secret = (base64.b64decode(word) for word in line.split(" "))
    print("yes" if verify(body, header.decode(), secret.decode()) else "no")
`,
  },
  Go: {
    fence: 'go',
    file: 'verify.go',
    receiver: () => ['receiver.go', 'verify.go'],
    command: ['go', 'run'],
    wrap: (code) => `${code.replace('import (', 'import (\n\t"bufio"\n\t"encoding/base64"\n\t"fmt"\n\t"os"')}
func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(make([]byte, 1<<20), 1<<20)
	for lines.Scan() {
		words := strings.Split(lines.Text(), " ")
		text := func(n int) []byte { b, _ := base64.StdEncoding.DecodeString(words[n]); return b }
		if Verify(text(0), string(text(1)), string(text(2)), time.Now()) {
			fmt.Println("yes")
		} else {
			fmt.Println("no")
		}
	}
}
`,
  },
  PHP: {
    fence: 'php',
    file: 'verify.php',
    receiver: (port) => ['-S', `127.0.0.1:${port}`, 'receiver.php'],
    command: ['php'],
    wrap: (code) => `${code}
while (($line = fgets(STDIN)) !== false) {
    [$body, $header, $secret] = array_map('base64_decode', explode(' ', trim($line, "\\n")));
    echo verify($body, $header, $secret) ? "yes\\n" : "no\\n";
}
`,
  },
  Ruby: {
    fence: 'ruby',
    file: 'verify.rb',
    receiver: () => ['receiver.rb'],
    command: ['ruby'],
    wrap: (code) => `${code}
STDIN.each_line do |line|
  body, header, secret = line.chomp.split(" ", -1).map { |word| word.unpack1("m") }
  puts verify(body, header, secret) ? "yes" : "no"
end
`,
  },
};

const codeOf = (fence: string): string => {
  const found = new RegExp(`\`\`\`${fence}\\n([\\s\\S]*?)\`\`\``).exec(PAGE)?.[1];
  if (found === undefined) throw new Error(`the guide has no code in ${fence}`);
  return found;
};
const hasProgram = (command: string): boolean => spawnSync(command, ['--version']).error === undefined;

let fixture: DeliveryFixture;
let folder: string;
let cases: Case[];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'everyshare-guide-'));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  fixture = await DeliveryFixture.open();
  fixture.clock.at = Date.now();
  const venue = await fixture.openVenue();
  const endpoint = await fixture.endpoint(venue, '/guide', ['checkout.created']);
  await venue.create({ description: 'Überraschung für Zoë 🎂 "quoted" \\ slash' });
  await fixture.deliver();
  const rotated = (await venue.post(`/v1/webhook_endpoints/${endpoint.id}/rotate_secret`)).json;
  await venue.create();
  await fixture.deliver();
  const [first, second] = fixture.requestsTo('/guide');
  if (first === undefined || second === undefined) throw new Error('the receiver got no request');
  const { body } = first;
  const { secret } = endpoint;
  const now = Date.now();
  const at = (ms: number, header = (text: string) => text) => header(signatureOf([secret], body, ms));
  cases = [
    { name: 'a delivery', body, header: first.signature, secret, isValid: true },
    { name: 'two signatures, the old secret', body: second.body, header: second.signature, secret, isValid: true },
    {
      name: 'two signatures, the new secret',
      body: second.body,
      header: second.signature,
      secret: rotated.secret,
      isValid: true,
    },
    { name: 'four minutes old', body, header: at(now - 240_000), secret, isValid: true },
    { name: 'one byte changed', body: body.replace('open', 'opem'), header: first.signature, secret, isValid: false },
    { name: 'six minutes old', body, header: at(now - 360_000), secret, isValid: false },
    { name: 'six minutes ahead', body, header: at(now + 360_000), secret, isValid: false },
    { name: 'another secret', body, header: first.signature, secret: `${secret}x`, isValid: false },
    { name: 'the secret without its prefix', body, header: first.signature, secret: secret.slice(6), isValid: false },
    {
      name: 'another t',
      body,
      header: at(now, (text) => text.replace(/t=\d+/, `t=${Math.floor(now / 1000) - 1}`)),
      secret,
      isValid: false,
    },
    { name: 'no t', body, header: at(now, (text) => text.replace(/t=\d+,/, '')), secret, isValid: false },
    {
      name: 'a t that is no number',
      body,
      header: at(now, (text) => text.replace(/t=\d+/, 't=soon')),
      secret,
      isValid: false,
    },
    { name: 'no v1', body, header: `t=${Math.floor(now / 1000)}`, secret, isValid: false },
    { name: 'a v1 that is cut', body, header: at(now, (text) => text.slice(0, -2)), secret, isValid: false },
    { name: 'a v0', body, header: at(now, (text) => text.replace('v1=', 'v0=')), secret, isValid: false },
    { name: 'an empty header', body, header: '', secret, isValid: false },
    { name: 'nonsense', body, header: 'v1=,t=,=,,', secret, isValid: false },
  ];
});
afterAll(async () => {
  await fixture.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('the request that the receiver’s guide shows', () => {
  const [head = '', body = ''] = codeOf('http').trim().split('\n\n');
  const [line, ...headers] = head.split('\n');
  const shown = JSON.parse(body);

  it('has the headers and the members of a real delivery', () => {
    const [first] = fixture.requestsTo('/guide');
    expect(line).toBe('POST /hooks/everyshare HTTP/1.1');
    expect(headers.map((header) => header.split(':')[0])).toEqual([
      'Content-Type',
      'User-Agent',
      'Service-Signature',
      'webhook-id',
      'webhook-timestamp',
      'webhook-signature',
    ]);
    for (const header of headers) {
      const [name = '', value = ''] = header.split(': ');
      const given = first?.headers[name.toLowerCase()] as string;
      const formOf = (text: string): string =>
        text
          .replace(/\d{10}/, 't')
          .replace(/[0-9a-f]{64}/, 'v1')
          .replace(/[\w+/]{43}=/, 'base64')
          .replace(/evt_\w{26}/, 'id');
      expect(formOf(given)).toBe(formOf(value));
    }
    const event = JSON.parse(first?.body ?? '{}');
    expect(Object.keys(shown)).toEqual(Object.keys(event));
    expect(Object.keys(event.data.object)).toEqual(expect.arrayContaining(Object.keys(shown.data.object)));
  });
});

/** A port that was free a moment ago. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { readonly port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

interface RunningReceiver {
  readonly lines: () => string[];
  send(body: string, signature: string): Promise<number>;
  /** Sends these bytes and cuts the connection. */
  sendCut(text: string): Promise<void>;
  stop(): Promise<void>;
}

async function startReceiver(
  { command: [program = '', ...options], receiver }: Runner,
  secret: string,
  processed = folder,
) {
  const port = await freePort();
  const child: ChildProcess = spawn(program, [...options, ...receiver(port)], {
    cwd: FOLDER,
    env: { ...process.env, PORT: String(port), WEBHOOK_SECRET: secret, PROCESSED: processed },
    // `go run` starts another program: a group of its own lets both be stopped.
    detached: true,
  });
  let out = '';
  let errors = '';
  child.stdout?.on('data', (part: Buffer) => (out += part));
  child.stderr?.on('data', (part: Buffer) => (errors += part));
  const send = async (body: string, signature: string): Promise<number> =>
    (
      await fetch(`http://127.0.0.1:${port}/hooks`, {
        method: 'POST',
        headers: { 'service-signature': signature },
        body,
      })
    ).status;
  const running: RunningReceiver = {
    lines: () => out.trim().split('\n'),
    send,
    sendCut: (text) =>
      new Promise((resolve, reject) => {
        const socket = connect(port, '127.0.0.1', () => socket.write(text, () => socket.resetAndDestroy()));
        socket.once('error', reject).once('close', () => resolve());
      }),
    async stop() {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      process.kill(-(child.pid ?? 0), 'SIGKILL');
      await ended;
    },
  };
  await waitFor(`${program} to listen`, async () => {
    if (child.exitCode !== null) throw new Error(`${program} ended: ${errors}`);
    return (await send('', '').catch(() => null)) !== null;
  });
  return running;
}

describe('the receivers', () => {
  for (const [language, runner] of Object.entries(RUNNERS)) {
    const [program = ''] = runner.command;
    const isInstalled = hasProgram(program);
    if (!isInstalled)
      process.stderr.write(`examples/receivers: ${language} is not on this machine, its code was not run\n`);
    const code = (): string => readFileSync(join(FOLDER, runner.file), 'utf8');

    it(`in ${language} are what the guide shows`, () => {
      expect(codeOf(runner.fence)).toBe(code());
    });

    const name = isInstalled
      ? 'accept real deliveries and nothing else'
      : 'exist (NOT RUN: the language is not installed)';
    it(`in ${language} ${name}`, { timeout: 60_000 }, async () => {
      if (!isInstalled) return;
      const file = join(folder, runner.file);
      writeFileSync(file, runner.wrap(code()));
      const word = (text: string): string => Buffer.from(text).toString('base64');
      const input = cases.map(({ body, header, secret }) => [body, header, secret].map(word).join(' ')).join('\n');
      const out = execFileSync(program, [...runner.command.slice(1), file], { input: `${input}\n`, encoding: 'utf8' });
      const results = out.trim().split('\n');
      expect(Object.fromEntries(cases.map(({ name }, index) => [name, results[index]]))).toEqual(
        Object.fromEntries(cases.map(({ name, isValid }) => [name, isValid ? 'yes' : 'no'])),
      );
      const [valid] = cases;
      if (valid === undefined) throw new Error('there are no cases');
      const receiver = await startReceiver(runner, valid.secret);
      try {
        const { id, type, data } = JSON.parse(valid.body);
        expect(await receiver.send(valid.body.replace(id, 'evt_other'), valid.header)).toBe(400);
        expect(await receiver.send(valid.body, valid.header)).toBe(204);
        expect(await receiver.send(valid.body, valid.header)).toBe(204);
        await receiver.sendCut('POST / HTTP/1.1\r\nContent-Length: 99\r\n\r\ncut');
        await receiver.sendCut('POST / HTTP/1.1\r\n: \r\nno colon\r\nService-Signature:\xff\r\n\r\n');
        await receiver.sendCut('');
        expect(await receiver.send(valid.body, valid.header), 'after requests that were cut').toBe(204);
        await waitFor('its line', () => receiver.lines()[0] !== '');
        expect(receiver.lines()).toEqual([`${type} ${data.object.id}`]);
      } finally {
        await receiver.stop();
      }
    });

    // PHP has no start of its own: it refuses each request.
    if (isInstalled && language !== 'PHP')
      it(`in ${language} do not start without a secret`, { timeout: 60_000 }, () => {
        const env = { ...process.env, PORT: '0', WEBHOOK_SECRET: '' };
        const options = { cwd: FOLDER, env, encoding: 'utf8', timeout: 30_000 } as const;
        const { status, stderr } = spawnSync(program, [...runner.command.slice(1), ...runner.receiver(0)], options);
        expect([status, stderr]).toEqual([
          1,
          expect.stringContaining('set WEBHOOK_SECRET to the secret of the endpoint'),
        ]);
      });
  }

  // Where PHP is missing, the output above says so.
  if (hasProgram('php'))
    it('in PHP answers 500 when it cannot record an event, which is then sent again', async () => {
      const [valid] = cases;
      const { PHP: runner } = RUNNERS;
      if (valid === undefined || runner === undefined) throw new Error('there are no cases');
      const receiver = await startReceiver(runner, valid.secret, join(folder, 'missing'));
      try {
        expect(await receiver.send(valid.body, valid.header)).toBe(500);
      } finally {
        await receiver.stop();
      }
    });
});
