// People at the desk: one person by the whole mail address, and the operators.

import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useAddressQuery } from '../client/address-query.ts';
import { useLoad } from '../client/load.ts';
import type { DeskOperator, DeskPerson } from '../client/types.gen.ts';
import { Button, Id, TextField } from '../ui/controls.tsx';
import type { Columns } from '../ui/csv.ts';
import { date } from '../ui/format.ts';
import { ListCsvButton } from '../ui/list-csv-button.tsx';
import { Empty, Page, Section, Shown, Table } from '../ui/parts.tsx';
import { useCommand } from './frame.tsx';
import { desk } from './session.ts';

const COLUMNS: Columns<DeskOperator> = [
  ['id', ({ id }) => id],
  ['email', ({ email }) => email],
  ['name', ({ name }) => name],
  ['role', ({ role }) => role],
  ['created_at', ({ created_at }) => created_at],
];

export default function PeopleScreen(): JSX.Element {
  const address = useAddressQuery();
  const q = address.get('q');
  const [typed, setTyped] = useState(q);
  const found = useLoad(async (signal) => (q === '' ? [] : (await desk.listDeskPeople({ q }, { signal })).data), [q]);
  const operators = useLoad((signal) => desk.listOperators({ signal }).then(({ data }) => data), []);
  useCommand('npx everyshare operator list');
  return (
    <Page title="People" lead="Addresses are stored encrypted: a person is found by the whole address.">
      <form
        class="filters"
        onSubmit={(event) => {
          event.preventDefault();
          address.replace({ q: typed.trim() });
        }}
      >
        <TextField label="Mail address or account id" type="search" value={typed} onInput={setTyped} maxLength={200} />
        <Button type="submit" icon="search">
          Find
        </Button>
      </form>
      {q !== '' && (
        <Shown loaded={found}>
          {(people) =>
            people.length === 0 ? (
              <Empty>No account has the address “{q}”.</Empty>
            ) : (
              <div>
                {people.map((person) => (
                  <Person key={person.id} person={person} />
                ))}
              </div>
            )
          }
        </Shown>
      )}
      <Section
        title="Operators"
        aside={
          <>
            <span class="quiet">made on the command line</span>{' '}
            {operators.data !== undefined && (
              <ListCsvButton name="operators" columns={COLUMNS} rows={() => operators.data ?? []} />
            )}
          </>
        }
      >
        <Shown loaded={operators} lines={3}>
          {(list) => (
            <Table caption="Operators" head={['Mail', '-Name', 'Role', '-Since']}>
              {list.map(({ id, email, name, role, created_at }) => (
                <tr key={id}>
                  <td>{email}</td>
                  <td class="wide-only">{name}</td>
                  <td>{role}</td>
                  <td class="wide-only quiet">{date(created_at)}</td>
                </tr>
              ))}
            </Table>
          )}
        </Shown>
      </Section>
    </Page>
  );
}

function Person({ person }: { readonly person: DeskPerson }): JSX.Element {
  return (
    <Section title={person.name ?? person.email} aside={<Id id={person.id} />}>
      <p class="quiet">
        {person.email}
        {person.operator_role !== null && ` · ${person.operator_role} at the desk`}
      </p>
      {person.venues.length === 0 ? (
        <p>No role in a venue.</p>
      ) : (
        <Table caption="Venues of the person" head={['Venue', 'Role']}>
          {person.venues.map(({ id, name, role }) => (
            <tr key={id}>
              <td>
                <a class="link" href={`/desk/venues/${id}`}>
                  {name}
                </a>
              </td>
              <td>{role}</td>
            </tr>
          ))}
        </Table>
      )}
    </Section>
  );
}
