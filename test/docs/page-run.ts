// Runs the examples of one page in their order, against a real server with a venue and a key of its own.
//
// - `sh`: each `curl` is sent and each `npx everyshare` is run. `$KEY`, `$OPERATOR_TOKEN`, `$(cat .data/sandbox-key)`,
//   `$BASE_URL`, `https://api.everyshare.example`, `http://127.0.0.1:8080`, `ID` and `KEY_ID` stand for the real ones.
// - `json tab=agent`: the tool is called, with the same key, and must succeed. The answer below is that of the `sh`.
// - `ts tab=TypeScript`: a whole program, run with the source of the SDK. It must end, and print what its comments say.
// - A body after "send … to `POST /path`" is sent. With "(excerpt)" the example of its schema fills in the rest.
//   "Corrected" sends it to the same address, and must succeed.
// - A block after "the answer", "prints" or "the output" is compared with what came back last.
// - A block after "`name.json`:" is that file.
// - An id that an answer showed stands, in later requests, for the one that came back; `$TOKEN` is the last `token`.
//
// The year 2027 in a request is next year, as on the site, so that no example is ever in the past.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { catalogue, type ErrorCode } from '../../src/base/errors.ts';
import { withFutureDates } from '../../src/http/docs/site-pages.ts';
import { operations } from '../../src/run/operations.ts';
import type { CommandLine } from '../support/run-command.ts';
import type { HttpResponse, TestWorld } from '../support/test-world.ts';
import { differences, textDifferences } from './compare-answers.ts';
import type { Block } from './read-blocks.ts';
import { runTypeScript } from './run-typescript.ts';
import { readCommands, readCurl } from './shell.ts';

export interface PageParts {
  readonly world: TestWorld;
  readonly cli: Pick<CommandLine, 'run'>;
  readonly key: string;
  /** What else stands for something real on this page. */
  readonly places: Readonly<Record<string, string>>;
  /** The files that commands read and write. */
  readonly folder: string;
  /** Makes the next answer of a page that shows no request. */
  readonly situations: (() => Promise<HttpResponse>)[];
}

interface Result {
  readonly place: string;
  readonly isRight: boolean;
  readonly text: string;
  readonly response?: HttpResponse;
}

const SERVICE = ['https://api.everyshare.example', 'http://127.0.0.1:8080', '$BASE_URL'];
const ADDRESS = /\bsend\b[\s\S]*`(GET|POST|DELETE) (\/\S*)`/i;
const FILE = /`([\w-]+\.jsonl?)`:$/;
const ANSWER = /\b(answers?|prints|output)\b/i;
const ID = /^([a-z]{3}_[0-9a-z]{20,}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;
const STATUS = /^The answer (?:is|has status) (\d{3})\b/;

export class PageRun {
  readonly #parts: PageParts;
  readonly #faults: string[] = [];
  #last: Result | null = null;
  /** The ids of earlier answers: as shown, and as they came back. */
  readonly #ids = new Map<string, string>();
  #address: { readonly method: string; readonly path: string; readonly isExcerpt: boolean } | null = null;

  constructor(parts: PageParts) {
    this.#parts = parts;
  }

  /** What differs from the page; empty when everything is as shown. */
  async run(blocks: readonly Block[]): Promise<readonly string[]> {
    for (const block of blocks) this.#writeFile(block);
    for (const block of blocks) await this.#runBlock(block);
    this.#settle();
    return this.#faults;
  }

  #writeFile({ before, text }: Block): void {
    const name = FILE.exec(before)?.[1];
    if (name !== undefined) writeFileSync(join(this.#parts.folder, name), text);
  }

  async #runBlock(block: Block): Promise<void> {
    await this.#runByKind(block);
    const status = STATUS.exec(block.after)?.[1];
    const given = this.#last?.response?.status;
    if (status !== undefined && given !== undefined && String(given) !== status)
      this.#faults.push(`${block.place} is answered with ${given}, the page says ${status}`);
  }

  async #runByKind(block: Block): Promise<void> {
    const { language, before, text, place } = block;
    const address = ADDRESS.exec(before);
    if (FILE.test(before)) return;
    if (block.tab === 'agent') return this.#callTool(place, text);
    if (block.tab === 'TypeScript') return this.#runTypeScript(place, text);
    if (language === 'sh') return this.#runCommands(place, text);
    if (text.startsWith('$ ')) return this.#runPrinted(place, text);
    if (address !== null) {
      const [, method = '', path = ''] = address;
      this.#address = { method, path, isExcerpt: before.includes('(excerpt)') };
      await this.#send(place, text);
    } else if (before.startsWith('Corrected')) await this.#send(place, text);
    else if (ANSWER.test(before)) this.#compare(place, before, text);
    else if (this.#parts.situations.length > 0) await this.#compareSituation(place, text);
    else this.#faults.push(`${place} is no request, no answer and no file: see page-run.ts, or mark it not-run`);
  }

  async #runCommands(place: string, text: string): Promise<void> {
    for (const words of readCommands(this.#real(text))) {
      if (words[0] === 'curl') {
        const { method, url, headers, body } = readCurl(words);
        const path = url.slice(this.#base.length);
        if (!url.startsWith(this.#base)) this.#faults.push(`${place}: curl of ${url}, which is not this service`);
        else
          this.#received(
            place,
            await this.#parts.world.call(method, path, { headers, ...(body === undefined ? {} : { body }) }),
          );
      } else if (words[0] === 'npx' && words[1] === 'everyshare') {
        this.#settle();
        const { exit, out, err } = await this.#parts.cli.run(...words.slice(2).map((word) => this.#realWord(word)));
        const printed = `${out}${err}`.replaceAll(`${this.#parts.folder}/`, '');
        this.#last = { place, isRight: exit === 0, text: printed };
      } else if (words[0] !== 'export' || words[1] !== `KEY=${this.#parts.key}`)
        this.#faults.push(`${place}: ${words.join(' ')} is no command that can be run here`);
    }
  }

  async #runTypeScript(place: string, text: string): Promise<void> {
    const { key, folder } = this.#parts;
    const found = await runTypeScript(this.#real(text), { key, folder, base: this.#base });
    this.#faults.push(...found.map((fault) => `${place}: ${fault}`));
  }

  /** What came back last stays that of the request before. */
  async #callTool(place: string, text: string): Promise<void> {
    const params = JSON.parse(this.#real(text));
    const { status, json } = await this.#parts.world.call('POST', '/mcp', {
      key: this.#parts.key,
      headers: { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-06-18' },
      body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
    });
    if (status !== 200 || json.result === undefined || json.result.isError === true)
      this.#faults.push(`${place} fails: ${JSON.stringify(json).slice(0, 800)}`);
  }

  /** A command after "$ ", and what it prints. */
  async #runPrinted(place: string, text: string): Promise<void> {
    const [command = '', ...printed] = text.split('\n');
    await this.#runCommands(place, command.slice('$ '.length));
    this.#compare(place, '', printed.join('\n'));
  }

  async #send(place: string, text: string): Promise<void> {
    if (this.#address === null) return void this.#faults.push(`${place} corrects no request`);
    const { method, path, isExcerpt } = this.#address;
    const body = isExcerpt ? JSON.stringify(this.#filledIn(method, path, JSON.parse(text))) : text;
    this.#received(place, await this.#parts.world.call(method, path, { key: this.#parts.key, body: this.#real(body) }));
  }

  #received(place: string, response: HttpResponse): void {
    this.#settle();
    this.#last = { place, isRight: response.status < 300, text: response.text, response };
  }

  /** What no block shows has to be a success. */
  #settle(): void {
    if (this.#last?.isRight === false) this.#faults.push(`${this.#last.place} fails: ${this.#last.text.slice(0, 800)}`);
    this.#last = null;
  }

  #compare(place: string, before: string, text: string): void {
    const last = this.#last;
    this.#last = null;
    if (last === null) return void this.#faults.push(`${place} answers no request`);
    const isJson = last.response?.json !== undefined;
    const shown = isJson ? JSON.parse(text) : text;
    const status = STATUS.exec(before)?.[1] ?? statusOf(shown);
    if (last.response !== undefined && String(last.response.status) !== status && !(status === '2xx' && last.isRight))
      this.#faults.push(`${place} is ${last.response.status}, shown ${status}`);
    const found = isJson
      ? differences(shown, last.response?.json, this.#base)
      : textDifferences(text, last.text, this.#base);
    this.#faults.push(...found.map((difference) => `${place}: ${difference}`));
    if (isJson) this.#learnIds(shown, last.response?.json);
  }

  #learnIds(shown: unknown, given: unknown): void {
    if (typeof shown === 'string' && typeof given === 'string' && ID.test(shown)) this.#ids.set(shown, given);
    if (typeof shown !== 'object' || shown === null || typeof given !== 'object' || given === null) return;
    for (const [name, value] of Object.entries(shown)) {
      const came = (given as Record<string, unknown>)[name];
      if (name === 'token') this.#ids.set('$TOKEN', String(came));
      this.#learnIds(value, came);
    }
  }

  async #compareSituation(place: string, text: string): Promise<void> {
    const make = this.#parts.situations.shift();
    if (make === undefined) return;
    this.#received(place, await make());
    this.#compare(place, '', text);
  }

  get #base(): string {
    return this.#parts.world.urls[0] ?? '';
  }

  #real(text: string): string {
    const places = {
      ...Object.fromEntries(SERVICE.map((address) => [address, this.#base])),
      '$(cat .data/sandbox-key)': this.#parts.key,
      $KEY: this.#parts.key,
      $OPERATOR_TOKEN: this.#parts.world.operatorToken,
      ...Object.fromEntries(this.#ids),
    };
    const named = Object.entries(this.#parts.places).map(([name, value]) => [`\\b${name}\\b`, value] as const);
    const dated = withFutureDates(text, Date.now());
    const real = Object.entries(places).reduce((done, [place, value]) => done.replaceAll(place, value), dated);
    return named.reduce((done, [name, value]) => done.replace(new RegExp(name, 'g'), value), real);
  }

  #realWord(word: string): string {
    return /^[\w-]+\.jsonl?$/.test(word) ? join(this.#parts.folder, word) : word;
  }

  #filledIn(method: string, path: string, excerpt: unknown): unknown {
    const operation = operations.find((one) => one.method === method && one.path === path);
    const { registry } = this.#parts.world.context;
    const schema = operation?.body?.at(-1)?.schema;
    if (schema === undefined) throw new Error(`${method} ${path} takes no body`);
    return fillIn(excerpt, (registry.get(schema).examples as unknown[])[0]);
  }
}

const statusOf = (shown: { error?: { code: ErrorCode } }): string =>
  shown.error === undefined ? '2xx' : String(catalogue[shown.error.code]?.status);

/** The excerpt, with what it leaves out taken from the example; items of a list are filled in by the first one. */
function fillIn(excerpt: unknown, example: unknown): unknown {
  if (Array.isArray(excerpt)) {
    const items = Array.isArray(example) ? example : [];
    return excerpt.map((item) => fillIn(item, items[0]));
  }
  if (typeof excerpt !== 'object' || excerpt === null || typeof example !== 'object' || example === null)
    return excerpt;
  const filled: Record<string, unknown> = { ...example };
  for (const [name, value] of Object.entries(excerpt)) filled[name] = fillIn(value, filled[name]);
  return filled;
}
