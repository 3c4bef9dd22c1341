// Create or edit an offering, an event or a boat. What most of them have are fields; everything is JSON as the API takes it.
// The API's problems are at their fields; those of other places are listed below, and marked in the JSON.

import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Boat, EventExperience, Offering } from '../../../../sdk/src/types.gen.ts';
import { isAt, useAction } from '../../client/action.ts';
import { isApiError } from '../../client/api.ts';
import { useLoad } from '../../client/load.ts';
import { mayDevelop } from '../../client/rights.ts';
import type { ScreenProps } from '../../screens.ts';
import { hrefOf, usePlace } from '../../session.ts';
import { showToast } from '../../shell/announce.tsx';
import { useApiCall } from '../../shell/api-line.tsx';
import { goTo } from '../../shell/go-to.ts';
import { Button, LinkButton, TextField } from '../../ui/controls.tsx';
import { Json } from '../../ui/json.tsx';
import { Empty, Failed, Page, Shown } from '../../ui/parts.tsx';
import { marksOf } from '../requests/fixes.ts';
import { CommonFields, type Content, fieldPointers, type Kind } from './fields.tsx';

const SAMPLES: Readonly<Record<Kind, Content>> = {
  offering: {
    external_id: '',
    kind: 'cabana',
    title: '',
    description: '',
    tiers: [{ unit: 'per_group', amount: 0, currency: 'usd' }],
  },
  event: {
    title: '',
    starts_at: '',
    description: '',
    tiers: [{ unit: 'per_person', amount: 0, currency: 'usd' }],
  },
  boat: {
    external_id: '',
    name: '',
    type: 'catamaran',
    length_ft: 40,
    capacity: 10,
    captain: 'included',
    location: {},
    pricing: [{ duration_hours: 4, amount: 0, currency: 'usd' }],
    photo_urls: [],
  },
};

export default function CatalogueEditScreen({ kind = 'offering', id }: ScreenProps): JSX.Element {
  const { venue, client } = usePlace();
  const mayWrite = mayDevelop(venue.role);
  const loaded = useLoad(
    async (signal): Promise<Content> => {
      if (id === undefined) return SAMPLES[kind as Kind] ?? {};
      const { waiting, visible } = await client.console.getCatalogueItem(kind, id, { signal });
      return (waiting ?? visible ?? {}) as Content;
    },
    [client, kind, id],
  );
  return (
    <Page title={id === undefined ? `New ${kind}` : `Edit ${kind}`} lead="Members see it after review." isNarrow>
      {mayWrite ? (
        <Shown loaded={loaded}>{(content) => <Editor kind={kind as Kind} id={id} content={content} />}</Shown>
      ) : (
        <Empty action={<LinkButton to="/catalogue">See the catalogue</LinkButton>}>
          An owner or a developer changes the catalogue.
        </Empty>
      )}
    </Page>
  );
}

interface EditorProps {
  readonly kind: Kind;
  readonly id: string | undefined;
  readonly content: Content;
}

function Editor({ kind, id, content }: EditorProps): JSX.Element {
  const { client } = usePlace();
  const [text, setText] = useState(JSON.stringify(content, null, 2));
  const parsed = parse(text);
  const paths = { offering: '/v1/offerings', event: '/v1/experiences', boat: '/v1/boats' } as const;
  useApiCall({
    method: 'POST',
    path: paths[kind],
    body: parsed ?? {},
    scope: kind === 'boat' ? 'boats:write' : 'offerings:write',
  });
  const save = useAction(async () => {
    if (parsed === null) return;
    if (kind === 'offering') await client.partner.offerings.upsert(parsed as Offering);
    else if (kind === 'event') await client.partner.experiences.submit(parsed as EventExperience);
    else await client.partner.boats.upsert(parsed as Boat);
    showToast('It is sent, and waits for review.');
    goTo(hrefOf(id === undefined ? '/catalogue' : `/catalogue/${kind}/${encodeURIComponent(id)}`));
  });
  const change = (changed: Content): void => setText(JSON.stringify(changed, null, 2));
  const problems = isApiError(save.error) ? save.error.errors : [];
  const pointers = fieldPointers(kind);
  const others = problems.filter(({ field }) => !pointers.some((one) => isAt(field, one)));
  return (
    <form
      class="form editor"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void save.run();
      }}
    >
      {save.error !== undefined && problems.length === 0 && <Failed error={save.error} />}
      {parsed !== null && (
        <CommonFields
          kind={kind}
          content={parsed}
          isNew={id === undefined}
          onChange={change}
          problemAt={save.problemAt}
        />
      )}
      <TextField
        label="Everything, as the API takes it"
        rows={18}
        value={text}
        onInput={setText}
        error={parsed === null ? 'This is no JSON object: check commas, quotes and braces.' : null}
        hint="JSON. The reference names every field."
      />
      {others.length > 0 && (
        <div class="failed" role="alert">
          <ul>
            {others.map(({ field, message, example_fix }) => (
              <li key={`${field} ${message}`}>
                <code>{field}</code> {message}{' '}
                {example_fix !== undefined && <span>Such as {JSON.stringify(example_fix)}.</span>}
              </li>
            ))}
          </ul>
        </div>
      )}
      {others.length > 0 && parsed !== null && (
        <Json label="Where it is wrong" value={parsed} marks={marksOf(text, others)} />
      )}
      <div class="buttons">
        <Button kind="primary" type="submit" isBusy={save.isBusy} isDisabled={parsed === null}>
          Send for review
        </Button>
        <LinkButton to="/catalogue">Cancel</LinkButton>
      </div>
    </form>
  );
}

function parse(text: string): Content | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Content) : null;
  } catch {
    return null; // The person is typing: the field says so.
  }
}
