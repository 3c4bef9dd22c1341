// `everyshare mcp config`: prints the configuration with which an agent connects to this installation's tool server. It
// never contains the key: each agent reads it from the environment or prompts for it.

import { type AgentConfig, agentConfigs, KEY_VARIABLE } from '../../sdk/src/agent-configs.ts';
import type { Config } from '../base/config.ts';
import { quoted, usageError } from './cli-error.ts';
import type { Command, CommandInput, CommandResult, ReadSettings } from './command-definition.ts';
import { choiceOption } from './options.ts';

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

function describeAgent({ name, file, config, command }: AgentConfig): string {
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
