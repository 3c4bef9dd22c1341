// `everyshare mcp config`: what to write into which file, so that an agent finds the tool server of this installation. The key is
// never part of it: each agent reads it from the environment, or asks for it.

import type { Config } from '../base/config.ts';
import { quoted, usageError } from './cli-error.ts';
import { choiceOf } from './options.ts';
import type { Answer, Command, Given, Settings } from './shape.ts';

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
      // In single quotes: the name of the variable is kept, not what is in it.
      command: `claude mcp add --transport http --scope project everyshare ${url} --header 'Authorization: Bearer \${${KEY}}'`,
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
      agent: 'windsurf',
      name: 'Windsurf',
      file: '~/.codeium/windsurf/mcp_config.json',
      config: servers({ serverUrl: url, headers: authorized(`\${env:${KEY}}`) }),
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

function addressOf(given: Given, settings: Settings): string {
  const text = given.text('url');
  if (text === null) return `${ownAddress(settings())}/mcp`;
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol))
    throw usageError(`--url is ${quoted(text)}: give the server's address, such as https://pay.example.`);
  return `${url.origin}${url.pathname.replace(/\/(mcp\/?)?$/, '')}/mcp`;
}

/** Where the settings of this shell have a server listen; nothing has to run for that. */
function ownAddress({ baseUrl, host, port }: Config): string {
  if (baseUrl !== null) return baseUrl;
  if (port === 0)
    throw usageError('PORT is 0, so the server has another port at each start: give its address with --url.');
  const reached = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `http://${reached.includes(':') ? `[${reached}]` : reached}:${port}`;
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
  async run(given, _open, settings): Promise<Answer> {
    const wanted = given.text('agent') === null ? null : choiceOf(given, 'agent', AGENTS);
    const url = addressOf(given, settings);
    const agents = agentsAt(url).filter(({ agent }) => wanted === null || agent === wanted);
    const head = `The tool server is at ${url}. Keep a secret key in ${KEY}; a test key may use every tool.`;
    return {
      json: { url, key_variable: KEY, agents },
      text: [head, ...agents.map(shown)].join('\n\n'),
    };
  },
};

export const mcpCommands: readonly Command[] = [mcpConfig];
