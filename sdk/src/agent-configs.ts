// How agents connect to the tool server: `everyshare mcp config` prints it, and the console shows it. A configuration never
// contains the key: each agent reads it from the environment or prompts for it.

export interface AgentConfig {
  readonly agent: string;
  readonly name: string;
  readonly file: string;
  /** The content of the file. */
  readonly config: string;
  /** A command that does the same, if the agent has one. */
  readonly command?: string;
}

export const KEY_VARIABLE = 'EVERYSHARE_KEY';
const VSCODE_INPUT_ID = 'everyshare_key';

const json = (value: unknown): string => JSON.stringify(value, null, 2);

export function agentConfigs(url: string): AgentConfig[] {
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
