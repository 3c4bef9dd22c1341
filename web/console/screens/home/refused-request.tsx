// The newest request that was refused, with what to send instead: shown until the first one succeeds.

import type { JSX } from 'preact';
import { useRef } from 'preact/hooks';
import { useLoad } from '../../client/load.ts';
import { POLLS } from '../../client/polls.ts';
import type { LoggedRequestDetail } from '../../client/types.gen.ts';
import { usePlace } from '../../session.ts';
import { Link } from '../../ui/controls.tsx';
import { timeWithSeconds } from '../../ui/format.ts';
import { Icon } from '../../ui/icon.tsx';
import { Failed } from '../../ui/parts.tsx';

const MAX_PROBLEMS = 4;

export function RefusedRequest(): JSX.Element | null {
  const { client } = usePlace();
  const read = useRef<LoggedRequestDetail | null>(null);
  const refused = useLoad(
    async (signal): Promise<LoggedRequestDetail | null> => {
      const { data } = await client.console.listRequests({ limit: 1, outcome: 'unsuccessful' }, { signal });
      const [newest] = data;
      if (newest === undefined) return null;
      // A logged request never changes.
      if (newest.id !== read.current?.id) read.current = await client.console.getRequest(newest.id, { signal });
      return read.current;
    },
    [client],
    POLLS.firstRequest.refused,
  );
  if (refused.error !== undefined) return <Failed error={refused.error} onRetry={() => void refused.reload()} />;
  return refused.data == null ? null : <Problems request={refused.data} />;
}

function Problems({ request }: { readonly request: LoggedRequestDetail }): JSX.Element {
  const { id, method, path, status, code, created_at, problems } = request;
  return (
    <div class="failed" role="status">
      <Icon name="refused" />
      <div>
        <p>
          <b>
            {status} {code}
          </b>{' '}
          <code>
            {method} {path}
          </code>{' '}
          at {timeWithSeconds(created_at)}
        </p>
        <ul>
          {problems.slice(0, MAX_PROBLEMS).map(({ field, message, example_fix }) => (
            <li key={`${field} ${message}`}>
              {field !== null && field !== '' && <code>{field}</code>} {message}{' '}
              {example_fix !== null && (
                <>
                  Send <code>{JSON.stringify(example_fix)}</code>.
                </>
              )}
            </li>
          ))}
        </ul>
        <p>
          <Link to={`/requests/${id}`}>See the whole request</Link>
        </p>
      </div>
    </div>
  );
}
