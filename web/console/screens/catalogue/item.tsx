// One offering, event or boat: what members see beside what waits for review, and the slots and prices of the next weeks.

import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Slot } from '../../../../sdk/src/types.gen.ts';
import { useLoad } from '../../client/load.ts';
import type { CatalogueItem, CatalogueVersions } from '../../client/types.gen.ts';
import type { ScreenProps } from '../../screens.ts';
import { usePlace } from '../../session.ts';
import { useApiCall } from '../../shell/api-line.tsx';
import { Id, LinkButton, SelectField } from '../../ui/controls.tsx';
import { count, dateTime, day, money, time, words } from '../../ui/format.ts';
import { MemberCard, textAt } from '../../ui/member-card.tsx';
import { Banner, LoadedPage, Page, Section, Shown, Snippet, Table } from '../../ui/parts.tsx';
import { Chip, StateChip } from '../../ui/states.tsx';

export default function CatalogueItemScreen({ kind = '', id = '' }: ScreenProps): JSX.Element {
  const { venue, client } = usePlace();
  const loaded = useLoad((signal) => client.console.getCatalogueItem(kind, id, { signal }), [client, kind, id]);
  const folder = kind === 'event' ? 'experiences' : `${kind}s`;
  useApiCall({
    method: 'GET',
    path: `/v1/${folder}/${id}`,
    scope: kind === 'boat' ? 'boats:read' : 'offerings:read',
    sdk: `everyshare.${folder}.retrieve('${id}')`,
    reads: `/console/api/catalogue/${kind}/${encodeURIComponent(id)}`,
  });
  const mayWrite = venue.role === 'owner' || venue.role === 'developer';
  return (
    <LoadedPage loaded={loaded} title={words(kind)}>
      {({ item, ...versions }) => (
        <Page
          name={item.title}
          title={
            <>
              {item.title}{' '}
              <StateChip
                kind="review"
                state={item.is_visible && item.status === 'pending' ? 'approved' : item.status}
              />{' '}
              {item.is_change_waiting && (
                <Chip color="amber" icon="clock">
                  a change waits for review
                </Chip>
              )}
            </>
          }
          lead={
            <>
              {item.external_id !== null && <Id id={item.external_id} isWhole />} <Id id={item.id} />
            </>
          }
          actions={
            mayWrite && (
              <LinkButton icon="pencil" to={`/catalogue/${kind}/${encodeURIComponent(id)}/edit`}>
                Edit
              </LinkButton>
            )
          }
        >
          {item.status === 'rejected' && item.review_note !== null && (
            <Banner color="red" icon="refused">
              <b>Not approved.</b> “{item.review_note}” Mend it and send it again.
            </Banner>
          )}
          <Differences item={item} versions={versions} />
          {item.kind === 'offering' && item.is_visible && item.external_id !== null && (
            <Slots externalId={item.external_id} />
          )}
          <Section title={versions.visible === null ? 'As members will see it' : 'As members see it'}>
            <MemberCard venue={venue.name} content={versions.visible ?? versions.waiting ?? {}} changed={NOTHING} />
            <details>
              <summary>As JSON</summary>
              <Snippet text={JSON.stringify(versions.visible ?? versions.waiting, null, 2)} label="Copy the content" />
            </details>
          </Section>
        </Page>
      )}
    </LoadedPage>
  );
}

const NOTHING: ReadonlySet<string> = new Set();

interface DifferencesProps {
  readonly item: CatalogueItem;
  readonly versions: Pick<CatalogueVersions, 'visible' | 'waiting' | 'differences'>;
}

function Differences({ item, versions }: DifferencesProps): JSX.Element | null {
  const { visible, waiting, differences } = versions;
  if (visible === null || waiting === null || differences.length === 0) return null;
  return (
    <section class="boxed versions">
      <header>
        <div>
          <h2>A change waits</h2>
          <span class="quiet">
            Sent {dateTime(item.changed_at)}; {count(differences.length, 'field differs', 'fields differ')}. Members and
            new checkouts stay on the visible version until it is approved.
          </span>
        </div>
      </header>
      <Table caption="What differs" head={['Field', 'Visible now', 'Waiting']}>
        {differences.map(({ field, change }) => (
          <tr key={field}>
            <td>
              <code>{field}</code>
            </td>
            <td>{change === 'added' ? <span class="quiet">nothing</span> : <del>{textAt(field, visible)}</del>}</td>
            <td>{change === 'removed' ? <span class="quiet">nothing</span> : <ins>{textAt(field, waiting)}</ins>}</td>
          </tr>
        ))}
      </Table>
    </section>
  );
}

const WEEK = 7 * 86_400_000;
const SIZES = Array.from({ length: 20 }, (_, i) => ({ value: String(i + 1), label: String(i + 1) }));
const MAX_SHOWN = 28;

function Slots({ externalId }: { readonly externalId: string }): JSX.Element {
  const { client } = usePlace();
  const [size, setSize] = useState('4');
  const [weeks, setWeeks] = useState('1');
  const [start] = useState(() => Math.ceil(Date.now() / 60_000) * 60_000);
  const query = {
    from: new Date(start).toISOString(),
    to: new Date(start + Number(weeks) * WEEK).toISOString(),
    party_size: Number(size),
  };
  const loaded = useLoad(
    (signal) => client.partner.offerings.listSlots(externalId, query, { signal }).then(({ data }) => data),
    [client, externalId, size, weeks],
  );
  return (
    <section class="boxed">
      <header>
        <h2>Slots and prices</h2>
        <div class="line">
          <SelectField label="Party of" value={size} choices={SIZES} onChange={setSize} />
          <SelectField
            label="Next"
            value={weeks}
            choices={[
              { value: '1', label: 'week' },
              { value: '2', label: '2 weeks' },
              { value: '4', label: '4 weeks' },
            ]}
            onChange={setWeeks}
          />
        </div>
      </header>
      <Shown loaded={loaded} lines={3}>
        {(slots) =>
          slots.length === 0 ? (
            <p class="quiet">No slot in this time: a blackout, too soon to book, or no price for this party.</p>
          ) : (
            <>
              <ul class="slots">{slots.slice(0, MAX_SHOWN).map(slotOf)}</ul>
              {slots.length > MAX_SHOWN && <p class="quiet">{slots.length - MAX_SHOWN} more slots.</p>}
            </>
          )
        }
      </Shown>
    </section>
  );
}

function slotOf(slot: Slot): JSX.Element {
  return (
    <li key={`${slot.starts_at} ${slot.external_id}`}>
      <b>{day(slot.starts_at)}</b>
      <span class="quiet">
        {time(slot.starts_at)}
        {slot.capacity === null ? '' : `, ${slot.capacity} free`}
      </span>
      {slot.prices.length === 0 && <span class="quiet">no price for this party</span>}
      {slot.prices.map((price) => (
        <span key={price.tier ?? price.label ?? price.unit}>
          {money(price.total, price.currency)} <small class="quiet">{price.label}</small>
        </span>
      ))}
    </li>
  );
}
