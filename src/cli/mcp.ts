// `everyshare mcp config`: what to write into which file, so that an agent finds the tool server of this installation. The key is
// never part of it: each agent reads it from the environment, or asks for it.

import { mistyped, quoted } from './fault.ts';
import { choiceOf } from './options.ts';
import type { Answer, Command, Given, Open } from './shape.ts';

interface Agent {
  readonly agent: string;
  readonly name: string;
  readonly file: string;
  /** As it stands in the file. */
  readonly config: string;
  /** The same by a command, where the agent has one. */
  readonly command?: string;
}

const KEY = 'EVERYSHARE_KEY';
const INPUT = 'everyshare_key';

const json = (value: unknown): string => JSON.stringify(value, null, 2);

function agentsAt(url: string): Agent[] {
  const authorized = (key: string): object => ({ Authorization: `Bearer ${key}` });
  const servers = (server: object): string => json({ mcpServers: { everyshare: server } });
  const asked = [{ type: 'promptString', id: INPUT, description: 'Everyshare secret key', password: true }];
  const inCode = { type: 'http', url, headers: authorized(`\${input:${INPUT}}`) };
  return [
    {
      agent: 'claude-code',
      name: 'Claude Code',
      file: '.mcp.json',
      config: servers({ type: 'http', url, headers: authorized(`\${${KEY}}`) }),
      command: `claude mcp add --transport http everyshare ${url} --header "Authorization: Bearer $${KEY}"`,
    },
    {
      agent: 'codex',
      name: 'Codex',
      file: '~/.codex/config.toml',
      config: `[mcp_servers.everyshare]\nurl = ${JSON.stringify(url)}\nbearer_token_env_var = "${KEY}"`,
      command: `codex mcp add everyshare --url ${url} --bearer-token-env-var ${KEY}`,
    },
    {
      agent: 'cursor',
      name: 'Cursor',
      file: '.cursor/mcp.json',
      config: servers({ url, headers: authorized(`\${env:${KEY}}`) }),
    },
    {
      agent: 'vscode',
      name: 'Visual Studio Code',
      file: '.vscode/mcp.json',
      config: json({ inputs: asked, servers: { everyshare: inCode } }),
    },
    {
      agent: 'gemini-cli',
      name: 'Gemini CLI',
      file: '~/.gemini/settings.json',
      config: servers({ httpUrl: url, headers: authorized(`$${KEY}`) }),
    },
  ];
}

const AGENTS = agentsAt('').map(({ agent }) => agent);

async function addressOf(given: Given, open: Open): Promise<string> {
  const text = given.text('url');
  if (text === null) {
    const { config } = (await open()).house;
    const host = config.host.includes(':') ? `[${config.host}]` : config.host;
    return `${config.baseUrl ?? `http://${host}:${config.port}`}/mcp`;
  }
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol))
    throw mistyped(`--url is ${quoted(text)}: give the server's address, such as https://pay.example.`);
  return `${url.origin}${url.pathname.replace(/\/(mcp\/?)?$/, '')}/mcp`;
}

function shown({ name, file, config, command }: Agent): string {
  const also = command === undefined ? '' : `\n\nor by the command\n\n${command}`;
  return `${name}: ${file}\n\n${config}${also}`;
}

const mcpConfig: Command = {
  words: ['mcp', 'config'],
  arguments: [],
  help: 'print how to connect an agent to the tool server',
  options: [
    { name: 'agent', value: 'NAME', help: `one of ${AGENTS.join(', ')}; all when absent` },
    { name: 'url', value: 'URL', help: 'the server’s address, where BASE_URL and PORT of this shell do not say it' },
  ],
  async run(given, open): Promise<Answer> {
    const wanted = given.text('agent') === null ? null : choiceOf(given, 'agent', AGENTS);
    const url = await addressOf(given, open);
    const agents = agentsAt(url).filter(({ agent }) => wanted === null || agent === wanted);
    const head = `The tool server is at ${url}. Keep a secret key in ${KEY}; a test key may use every tool.`;
    return {
      json: { url, key_variable: KEY, agents },
      text: [head, ...agents.map(shown)].join('\n\n'),
    };
  },
};

export const mcpCommands: readonly Command[] = [mcpConfig];
