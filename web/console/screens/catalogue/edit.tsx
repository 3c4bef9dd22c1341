// Create or edit an offering, an event or a boat. The common fields of an offering have a form; everything is JSON as the API
// takes it, with the API's problems below it.

import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Boat, EventExperience, Offering } from '../../../../sdk/src/types.gen.ts';
import { useAction } from '../../client/action.ts';
import { isApiError } from '../../client/api.ts';
import { useLoad } from '../../client/load.ts';
import { mayDevelop } from '../../client/rights.ts';
import type { CatalogueItem } from '../../client/types.gen.ts';
import type { ScreenProps } from '../../screens.ts';
import { hrefOf, usePlace } from '../../session.ts';
import { showToast } from '../../shell/announce.tsx';
import { useApiCall } from '../../shell/api-line.tsx';
import { goTo } from '../../shell/go-to.ts';
import { Button, LinkButton, SelectField, TextField } from '../../ui/controls.tsx';
import { money, parseMoney } from '../../ui/format.ts';
import { Empty, Failed, Page, Shown } from '../../ui/parts.tsx';

type Kind = CatalogueItem['kind'];
type Content = Record<string, unknown>;

const OFFERING_KINDS = [
  'cabana',
  'daybed',
  'table',
  'dining',
  'tee_time',
  'spa_treatment',
  'class',
  'boat_day',
  'ticketed_event',
  'package',
  'rental',
  'ride',
];
const UNITS = ['per_person', 'per_group', 'per_hour', 'per_unit'];

const SAMPLES: Readonly<Record<Kind, Content>> = {
  offering: {
    external_id: '',
    kind: 'cabana',
    title: '',
    description: '',
    tiers: [{ unit: 'per_group', amount: 0, currency: 'usd' }],
  },
  event: {
    external_id: '',
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
    pricing: [],
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
  const change = (changes: Content): void => setText(JSON.stringify({ ...parsed, ...changes }, null, 2));
  const problems = isApiError(save.error) ? save.error.errors : [];
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
      {kind === 'offering' && parsed !== null && (
        <OfferingFields content={parsed} isNew={id === undefined} onChange={change} problemAt={save.problemAt} />
      )}
      <TextField
        label={kind === 'offering' ? 'Everything, as the API takes it' : 'As the API takes it'}
        rows={18}
        value={text}
        onInput={setText}
        error={parsed === null ? 'This is no JSON object: check commas, quotes and braces.' : null}
        hint="JSON. The reference names every field."
      />
      {problems.length > 0 && (
        <div class="failed" role="alert">
          <ul>
            {problems.map(({ field, message, example_fix }) => (
              <li key={`${field} ${message}`}>
                <code>{field}</code> {message}{' '}
                {example_fix !== undefined && <span>Such as {JSON.stringify(example_fix)}.</span>}
              </li>
            ))}
          </ul>
        </div>
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

interface FieldsProps {
  readonly content: Content;
  readonly isNew: boolean;
  readonly onChange: (changes: Content) => void;
  readonly problemAt: (pointer: string) => string | null;
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const choices = (values: readonly string[]) => values.map((value) => ({ value, label: value.replaceAll('_', ' ') }));

function OfferingFields({ content, isNew, onChange, problemAt }: FieldsProps): JSX.Element {
  const tiers = Array.isArray(content.tiers) ? (content.tiers as Content[]) : [];
  const [first = {}, ...others] = tiers;
  const currency = text(first.currency) || 'usd';
  const amount = typeof first.amount === 'number' ? first.amount : 0;
  const [price, setPrice] = useState(plainAmount(amount, currency));
  useEffect(() => {
    if (parseMoney(price, currency) !== amount) setPrice(plainAmount(amount, currency));
  }, [amount, currency]);
  const setTier = (changes: Content): void => onChange({ tiers: [{ ...first, ...changes }, ...others] });
  const typed = parseMoney(price, currency);
  return (
    <div class="halves">
      <TextField
        label="Title"
        value={text(content.title)}
        onInput={(title) => onChange({ title })}
        error={problemAt('/title')}
      />
      <TextField
        label="Your id"
        value={text(content.external_id)}
        onInput={(external_id) => onChange({ external_id })}
        error={problemAt('/external_id')}
        hint={isNew ? 'Sending the same id again changes this offering.' : 'Another id makes another offering.'}
      />
      <SelectField
        label="Kind"
        value={text(content.kind)}
        choices={choices(OFFERING_KINDS)}
        onChange={(kind) => onChange({ kind })}
        error={problemAt('/kind')}
      />
      <TextField
        label={`Price in ${currency.toUpperCase()}`}
        inputMode="decimal"
        value={price}
        onInput={(value) => {
          setPrice(value);
          const minor = parseMoney(value, currency);
          if (minor !== null) setTier({ amount: minor });
        }}
        error={typed === null ? `Such as ${plainAmount(4800, currency)}.` : problemAt('/tiers/0/amount')}
      />
      <SelectField
        label="The price is"
        value={text(first.unit)}
        choices={choices(UNITS)}
        onChange={(unit) => setTier({ unit })}
        error={problemAt('/tiers/0/unit')}
      />
      <TextField
        label="Description"
        rows={3}
        value={text(content.description)}
        onInput={(description) => onChange({ description })}
        error={problemAt('/description')}
        isOptional
      />
    </div>
  );
}

/** As a person types it, without the sign of the currency: `48.00`. */
const plainAmount = (amount: number, currency: string): string => money(amount, currency).replaceAll(/[^\d.]/g, '');
