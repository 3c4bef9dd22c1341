// `everyshare mcp config`: prints the configuration with which an agent connects to this installation's tool server. It
// never contains the key: each agent reads it from the environment or prompts for it.

import type { Config } from '../base/config.ts';
import { quoted, usageError } from './cli-error.ts';
import type { Command, CommandInput, CommandResult, ReadSettings } from './command-definition.ts';
import { choiceOption } from './options.ts';

interface Agent {
  readonly agent: string;
  readonly name: string;
  readonly file: string;
  /** The content of the file. */
  readonly config: string;
  /** A command that does the same, if the agent has one. */
  readonly command?: string;
}

const KEY_VARIABLE = 'EVERYSHARE_KEY';
const VSCODE_INPUT_ID = 'everyshare_key';

const json = (value: unknown): string => JSON.stringify(value, null, 2);

function agentConfigs(url: string): Agent[] {
  const authorized = (key: string): object => ({ Authorization: `Bearer ${key}` });
  const servers = (server: object): string => json({ mcpServers: { everyshare: server } });
  const vscodeInputs = [
    { type: 'promptString', id: VSCODE_INPUT_ID, description: 'Everyshare secret key', password: true },
  ];
  const vscodeServer = { type: 'http', url, headers: authorized(`\${input:${VSCODE_INPUT_ID}}`) };
  return [
    {
      agent: 'claude-code',
      name: 'Claude Code',
      file: '.mcp.json',
      config: servers({ type: 'http', url, headers: authorized(`\${${KEY_VARIABLE}}`) }),
      // In single quotes, so that the shell does not expand the variable.
      command: `claude mcp add --transport http --scope project everyshare ${url} --header 'Authorization: Bearer \${${KEY_VARIABLE}}'`,
    },
    {
      agent: 'codex',
      name: 'Codex',
      file: '~/.codex/config.toml',
      config: `[mcp_servers.everyshare]\nurl = ${JSON.stringify(url)}\nbearer_token_env_var = "${KEY_VARIABLE}"`,
      command: `codex mcp add everyshare --url ${url} --bearer-token-env-var ${KEY_VARIABLE}`,
    },
    {
      agent: 'cursor',
      name: 'Cursor',
      file: '.cursor/mcp.json',
      config: servers({ url, headers: authorized(`\${env:${KEY_VARIABLE}}`) }),
    },
    {
      agent: 'vscode',
      name: 'Visual Studio Code',
      file: '.vscode/mcp.json',
      config: json({ inputs: vscodeInputs, servers: { everyshare: vscodeServer } }),
    },
    {
      agent: 'windsurf',
      name: 'Windsurf',
      file: '~/.codeium/windsurf/mcp_config.json',
      config: servers({ serverUrl: url, headers: authorized(`\${env:${KEY_VARIABLE}}`) }),
    },
    {
      agent: 'gemini-cli',
      name: 'Gemini CLI',
      file: '~/.gemini/settings.json',
      config: servers({ httpUrl: url, headers: authorized(`$${KEY_VARIABLE}`) }),
    },
  ];
}

const AGENTS = agentConfigs('').map(({ agent }) => agent);

function serverUrlIn(input: CommandInput, readSettings: ReadSettings): string {
  const text = input.text('url');
  if (text === null) return `${configuredAddress(readSettings())}/mcp`;
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol))
    throw usageError(`--url is ${quoted(text)}: give the server's address, such as https://pay.example.`);
  return `${url.origin}${url.pathname.replace(/\/(mcp\/?)?$/, '')}/mcp`;
}

/** The address at which a server with these settings listens, whether or not it runs. */
function configuredAddress({ baseUrl, host, port }: Config): string {
  if (baseUrl !== null) return baseUrl;
  if (port === 0)
    throw usageError('PORT is 0, so the server has another port at each start: give its address with --url.');
  const reachableHost = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `http://${reachableHost.includes(':') ? `[${reachableHost}]` : reachableHost}:${port}`;
}

function describeAgent({ name, file, config, command }: Agent): string {
  const commandText = command === undefined ? '' : `\n\nor by the command\n\n${command}`;
  return `${name}: ${file}\n\n${config}${commandText}`;
}

const mcpConfig: Command = {
  words: ['mcp', 'config'],
  arguments: [],
  help: 'print how to connect an agent to the tool server',
  options: [
    { name: 'agent', valueName: 'NAME', help: `one of ${AGENTS.join(', ')}; all when absent` },
    {
      name: 'url',
      valueName: 'URL',
      help: 'the server’s address, where BASE_URL and PORT of this shell do not say it',
    },
  ],
  async run(input, _open, readSettings): Promise<CommandResult> {
    const wanted = input.text('agent') === null ? null : choiceOption(input, 'agent', AGENTS);
    const url = serverUrlIn(input, readSettings);
    const agents = agentConfigs(url).filter(({ agent }) => wanted === null || agent === wanted);
    const head = `The tool server is at ${url}. Keep a secret key in ${KEY_VARIABLE}; a test key may use every tool.`;
    return {
      json: { url, key_variable: KEY_VARIABLE, agents },
      text: [head, ...agents.map(describeAgent)].join('\n\n'),
    };
  },
};

export const mcpCommands: readonly Command[] = [mcpConfig];
