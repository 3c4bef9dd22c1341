// How an agent connects to the tool server: the address, a key of its own, the configuration of each agent, and the tools.

import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { agentConfigs, KEY_VARIABLE } from '../../../sdk/src/agent-configs.ts';
import { mayDevelop } from '../client/rights.ts';
import { testKeys } from '../client/test-keys.ts';
import { usePlace } from '../session.ts';
import { useApiCall } from '../shell/api-line.tsx';
import { Copy, Link, LinkButton } from '../ui/controls.tsx';
import { Page, Section, Snippet, Table } from '../ui/parts.tsx';

/** The table of the guide, "Connect an AI agent". */
const TOOLS: readonly (readonly [string, string, string])[] = [
  ['describe_venue', 'The venue, its origins and its limits', 'none'],
  ['validate', 'Checks an object, and stores nothing', 'none'],
  ['upsert_offerings', 'Creates and changes offerings, 1 to 25', 'offerings:write'],
  ['set_price_tiers', 'Replaces the prices of an offering', 'offerings:write'],
  ['set_availability', 'Replaces the free times of an offering', 'offerings:write'],
  ['create_checkout', 'Opens a checkout for a booking', 'checkouts:write'],
  ['get_checkout', 'Reads a checkout with its shares', 'checkouts:read'],
  ['list_bookings', 'Lists checkouts, newest first', 'bookings:read or checkouts:read'],
];

export default function AgentsScreen(): JSX.Element {
  const { venue, mode } = usePlace();
  const url = `${location.origin}/mcp`;
  const agents = agentConfigs(url);
  const [chosen, setChosen] = useState(agents[0]?.agent ?? '');
  const shown = agents.find(({ agent }) => agent === chosen);
  const known = mode === 'test' ? testKeys()[venue.id] : undefined;
  useApiCall({
    method: 'POST',
    path: '/mcp',
    body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'describe_venue', arguments: {} } },
    scope: 'none',
    tool: { name: 'describe_venue', arguments: {} },
  });
  return (
    <Page
      title="Agents"
      lead="An agent connects your venue and takes bookings with the tools of this server, by the same rules as your own server."
      actions={
        mayDevelop(venue.role) && (
          <LinkButton to="/keys" icon="key">
            Make a key for the agent
          </LinkButton>
        )
      }
      isNarrow
    >
      <Section title="1. The address">
        <Snippet text={url} label="Copy the address" />
      </Section>
      <Section title="2. A key of its own">
        <p>
          {mode === 'test'
            ? 'A test key may use every tool. Nothing it does moves real money.'
            : 'A live key moves real money: give it only the scopes of the tools that the agent needs, and an expiry.'}{' '}
          Revoke it in <Link to="/keys">Keys</Link> when the agent is done. Keep it in <code>{KEY_VARIABLE}</code>,
          never in a file of the repository.
        </p>
        {known === undefined ? (
          <Snippet text={`export ${KEY_VARIABLE}=…`} label="Copy the command" />
        ) : (
          <div class="known-key">
            <Snippet
              text={`export ${KEY_VARIABLE}=${known.slice(0, 9)}…${known.slice(-4)}`}
              label="Copy the short form"
            />
            <Copy text={`export ${KEY_VARIABLE}=${known}`} label="Copy with your test key">
              Copy with your test key
            </Copy>
          </div>
        )}
      </Section>
      <Section title="3. The configuration">
        <div class="tab-list" role="group" aria-label="Agent">
          {agents.map(({ agent, name }) => (
            <button key={agent} type="button" aria-pressed={agent === chosen} onClick={() => setChosen(agent)}>
              {name}
            </button>
          ))}
        </div>
        {shown !== undefined && (
          <div class="form">
            {shown.command !== undefined && (
              <div>
                <p class="hint">Run once, in the folder of your project:</p>
                <Snippet text={shown.command} label={`Copy the command for ${shown.name}`} />
              </div>
            )}
            <div>
              <p class="hint">
                {shown.command === undefined ? 'Put into' : 'Or put into'} <code>{shown.file}</code>:
              </p>
              <Snippet text={shown.config} label={`Copy the configuration for ${shown.name}`} />
            </div>
          </div>
        )}
        <p class="hint">
          Any other client needs the address and the header <code>Authorization: Bearer</code> with the key. There is no
          OAuth.
        </p>
      </Section>
      <Section title="4. Begin">
        <p>
          Start with the prompt <code>connect_venue</code>: say what the venue is and, if it sells from a venue system,
          which one. Its calls appear in <Link to="/requests">Requests</Link>, by the name of the tool.
        </p>
      </Section>
      <Section
        title="Tools"
        aside={
          <Link isWhole to="/docs/agents">
            The guide
          </Link>
        }
      >
        <Table caption="Tools" head={['Tool', '-What it does', 'Scope of a live key']}>
          {TOOLS.map(([name, text, scope]) => (
            <tr key={name}>
              <td>
                <code>{name}</code>
                <small class="phone-only">{text}</small>
              </td>
              <td class="wide-only">{text}</td>
              <td class="edge quiet">{scope}</td>
            </tr>
          ))}
        </Table>
      </Section>
    </Page>
  );
}
