// One request: what went wrong by field, what to send instead, and the body that was sent with marks at the wrong places.

import type { JSX } from 'preact';
import { codeOf } from '../../client/api.ts';
import { useLoad } from '../../client/load.ts';
import type { LoggedProblem, LoggedRequestDetail } from '../../client/types.gen.ts';
import { usePlace } from '../../session.ts';
import { Copy, Id, Link, LinkButton } from '../../ui/controls.tsx';
import { count, dateTime, zoneName } from '../../ui/format.ts';
import { Icon } from '../../ui/icon.tsx';
import { Json } from '../../ui/json.tsx';
import { Empty, Failed, Waiting } from '../../ui/parts.tsx';
import { marksOf, withFixes } from './fixes.ts';
import { StatusChip } from './status-chip.tsx';

interface Props {
  readonly id: string;
  readonly closeHref: string;
}

export function OpenRequest({ id, closeHref }: Props): JSX.Element {
  const { client } = usePlace();
  const { data, error, reload } = useLoad((signal) => client.console.getRequest(id, { signal }), [client, id]);
  return (
    <section class="split-open" aria-label="The open request">
      <p class="phone-only">
        <Link isWhole to={closeHref}>
          <Icon name="back" /> All requests
        </Link>
      </p>
      {data !== undefined && <RequestDetail request={data} closeHref={closeHref} />}
      {data === undefined && error === undefined && <Waiting />}
      {data === undefined && error !== undefined && codeOf(error) === 'not_found' && (
        <Empty
          action={
            <LinkButton isWhole to={closeHref}>
              See the requests
            </LinkButton>
          }
        >
          There is no request {id} in this mode. The log keeps 7 days.
        </Empty>
      )}
      {data === undefined && error !== undefined && codeOf(error) !== 'not_found' && (
        <Failed error={error} onRetry={() => void reload()} />
      )}
    </section>
  );
}

function RequestDetail({
  request,
  closeHref,
}: {
  readonly request: LoggedRequestDetail;
  readonly closeHref: string;
}): JSX.Element {
  const { problems, body } = request;
  const fixed = body === null || request.body_is_cut ? null : withFixes(body, problems);
  return (
    <>
      <header class="open-head">
        <h2>
          <StatusChip status={request.status} />{' '}
          <code>
            {request.method} {request.path} {request.tool}
          </code>
        </h2>
        <Copy text={curlOf(request, body)} label="Copy as curl">
          Copy as curl
        </Copy>
        <Link isWhole to={closeHref} class="button plain wide-only" label="Close the request">
          <Icon name="cross" />
        </Link>
      </header>
      <p class="facts-line">
        <Id id={request.id} isWhole />
        <span>
          Key <Link to={`/keys/${request.key.id}`}>{request.key.name ?? request.key.hint}</Link>
        </span>
        <span>Took {request.duration_ms} ms</span>
        <span>
          {dateTime(request.created_at)} {zoneName()}
        </span>
        <span>From {request.address}</span>
      </p>
      {problems.length === 0 ? (
        <p class="quiet">
          {request.replayed ? 'It had the answer of an equal request before it. ' : ''}
          It succeeded: its body is not kept.
        </p>
      ) : (
        <Problems request={request} />
      )}
      {body !== null && (
        <Json
          label="Body sent"
          value={body}
          marks={marksOf(body, problems)}
          actions={
            fixed !== null && (
              <Copy text={fixed} label="Copy with fixes">
                Copy with fixes
              </Copy>
            )
          }
        />
      )}
      {request.body_is_cut && <p class="hint">The first 8 KB are kept.</p>}
      <p class="header-line">
        <Icon name="lock" /> <code>Authorization: Bearer {request.key.hint}</code>{' '}
        <span>masked before it is stored</span>
      </p>
    </>
  );
}

function Problems({ request }: { readonly request: LoggedRequestDetail }): JSX.Element {
  const { problems, status } = request;
  return (
    <div class={status >= 500 ? 'problems fault' : 'problems'}>
      <header>
        <h3>What went wrong</h3>
        <span class="quiet">
          {count(problems.length, 'problem')}
          {status >= 500 ? ': it is our fault' : ', nothing was stored'}
        </span>
      </header>
      <ol>
        {problems.map((problem, i) => (
          <Problem key={i} problem={problem} />
        ))}
      </ol>
    </div>
  );
}

function Problem({ problem }: { readonly problem: LoggedProblem }): JSX.Element {
  const { field, code, message, example_fix, doc_url } = problem;
  const fix = JSON.stringify(example_fix);
  return (
    <li>
      <Icon name="alert" />
      <div>
        <p class="where">
          <b>
            <code>{field === '' ? 'the whole body' : field}</code>
          </b>{' '}
          <code class="quiet">{code}</code>
          {doc_url !== undefined && doc_url !== null && (
            <Link isWhole isExternal to={doc_url} label={`Why ${code}`}>
              Why
            </Link>
          )}
        </p>
        <p>{message}</p>
        {example_fix !== null && (
          <p class="fix">
            Send <code class="chip green">{fix}</code> <Copy text={fix} label={`Copy ${fix}`} />
          </p>
        )}
      </div>
    </li>
  );
}

function curlOf({ method, path, tool }: LoggedRequestDetail, body: string | null): string {
  const lines = [
    `curl ${method === 'GET' ? '' : `-X ${method} `}"${location.origin}${path}"`,
    '  -H "Authorization: Bearer $EVERYSHARE_KEY"',
  ];
  const sent =
    tool === null || body === null
      ? body
      : `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${tool}","arguments":${body}}}`;
  if (sent !== null) lines.push('  -H "Content-Type: application/json"', `  -d '${sent.replaceAll("'", "'\\''")}'`);
  return lines.join(' \\\n');
}
