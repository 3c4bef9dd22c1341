// The people of a venue: who has which role, and open invitations. Owners change them; others read.

import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useAction } from '../client/action.ts';
import { useAddressQuery } from '../client/address-query.ts';
import { useLoad } from '../client/load.ts';
import type { Invitation, Person } from '../client/types.gen.ts';
import { homeHref, loadSession, usePlace } from '../session.ts';
import { showToast } from '../shell/announce.tsx';
import { useApiCall } from '../shell/api-line.tsx';
import { goTo } from '../shell/go-to.ts';
import { Button, SelectField, TextField } from '../ui/controls.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { date } from '../ui/format.ts';
import { ListCsvButton } from '../ui/list-csv-button.tsx';
import { Empty, Failed, Page, Section, Shown, Table } from '../ui/parts.tsx';
import { contains, SearchField } from '../ui/search-field.tsx';
import { TEAM_COLUMNS } from './team-columns.ts';

type Role = Person['role'];

const ROLES: readonly { readonly value: Role; readonly label: string }[] = [
  { value: 'owner', label: 'Owner: everything' },
  { value: 'developer', label: 'Developer: keys, endpoints, catalogue, reads' },
  { value: 'finance', label: 'Finance: refunds, payouts, reads' },
  { value: 'viewer', label: 'Viewer: reads' },
];

type Open =
  | { readonly kind: 'invite' | 'leave' }
  | { readonly kind: 'role' | 'remove'; readonly person: Person }
  | null;

export default function TeamScreen(): JSX.Element {
  const { venue, client } = usePlace();
  const people = useLoad((signal) => client.console.listPeople({ signal }).then(({ data }) => data), [client]);
  const invitations = useLoad(
    (signal) => client.console.listInvitations({ signal }).then(({ data }) => data),
    [client],
  );
  const address = useAddressQuery();
  const text = address.get('q');
  const peopleFound = people.data?.filter(({ id, name, email }) => contains(text, [name, email, id]));
  const invitationsFound = invitations.data?.filter(({ id, email }) => contains(text, [email, id]));
  const [open, setOpen] = useState<Open>(null);
  useApiCall({ method: 'GET', path: '/console/api/people' });
  const isOwner = venue.role === 'owner';
  const close = async (isChanged: boolean): Promise<void> => {
    setOpen(null);
    if (isChanged) await Promise.all([people.reload(), invitations.reload()]);
  };
  return (
    <Page
      title="Team"
      lead="Who may see and do what in this venue. A venue always keeps an owner."
      actions={
        <>
          {peopleFound !== undefined && invitationsFound !== undefined && (
            <ListCsvButton name="team" columns={TEAM_COLUMNS} rows={() => [...peopleFound, ...invitationsFound]} />
          )}
          {isOwner && (
            <Button kind="primary" icon="plus" onClick={() => setOpen({ kind: 'invite' })}>
              Invite a person
            </Button>
          )}
        </>
      }
    >
      <SearchField address={address} placeholder="Name, mail or id" />
      <Shown loaded={people} lines={4}>
        {() => <PeopleTable people={peopleFound ?? []} isOwner={isOwner} onOpen={setOpen} />}
      </Shown>
      <Shown loaded={invitations} lines={2}>
        {() => (
          <InvitationsTable
            invitations={invitationsFound ?? []}
            isFiltered={text.trim() !== ''}
            isOwner={isOwner}
            onChanged={() => void close(true)}
          />
        )}
      </Shown>
      <Section title="Your own place" aside="You can leave as long as another owner stays.">
        <Button icon="out" onClick={() => setOpen({ kind: 'leave' })}>
          Leave this venue…
        </Button>
      </Section>
      {open?.kind === 'invite' && <InviteDialog onClose={close} />}
      {open?.kind === 'leave' && <LeaveDialog onClose={close} />}
      {open?.kind === 'role' && <RoleDialog person={open.person} onClose={close} />}
      {open?.kind === 'remove' && <RemoveDialog person={open.person} onClose={close} />}
    </Page>
  );
}

const roleName = (role: Role): string => ROLES.find(({ value }) => value === role)?.label.split(':')[0] ?? role;
const nameOf = ({ name, email }: Person): string => name ?? email;

interface PeopleProps {
  readonly people: readonly Person[];
  readonly isOwner: boolean;
  readonly onOpen: (open: Open) => void;
}

function PeopleTable({ people, isOwner, onOpen }: PeopleProps): JSX.Element {
  // A venue always keeps an owner, so only a search leaves no person.
  if (people.length === 0) return <Empty>No person matches the search.</Empty>;
  return (
    <Table caption="People" head={['Name', '-Mail', 'Role', '-Since', '']}>
      {people.map((person) => (
        <tr key={person.id}>
          <td>
            <b>{nameOf(person)}</b> {person.is_you && <span class="chip neutral">You</span>}
          </td>
          <td class="wide-only">{person.email}</td>
          <td>{roleName(person.role)}</td>
          <td class="wide-only">{date(person.created_at)}</td>
          <td class="row-actions">
            {isOwner && (
              <>
                <Button
                  kind="quiet"
                  onClick={() => onOpen({ kind: 'role', person })}
                  label={`Change role of ${nameOf(person)}`}
                >
                  Change role
                </Button>
                {!person.is_you && (
                  <Button
                    kind="quiet"
                    onClick={() => onOpen({ kind: 'remove', person })}
                    label={`Remove ${nameOf(person)}`}
                  >
                    Remove
                  </Button>
                )}
              </>
            )}
          </td>
        </tr>
      ))}
    </Table>
  );
}

interface InvitationsProps {
  readonly invitations: readonly Invitation[];
  readonly isFiltered: boolean;
  readonly isOwner: boolean;
  readonly onChanged: () => void;
}

function InvitationsTable({ invitations, isFiltered, isOwner, onChanged }: InvitationsProps): JSX.Element {
  const { client } = usePlace();
  const withdraw = useAction(async ({ id, email }: Invitation) => {
    await client.console.withdrawInvitation(id);
    showToast(`The invitation of ${email} is withdrawn.`);
    onChanged();
  });
  return (
    <Section title="Invitations">
      {withdraw.error !== undefined && <Failed error={withdraw.error} />}
      {invitations.length === 0 ? (
        <p class="quiet">{isFiltered ? 'No invitation matches the search.' : 'No invitation is open.'}</p>
      ) : (
        <Table caption="Invitations" head={['Mail', 'Role', '-Sent', '-Valid until', '']}>
          {invitations.map((invitation) => (
            <tr key={invitation.id}>
              <td>{invitation.email}</td>
              <td>{roleName(invitation.role)}</td>
              <td class="wide-only">{date(invitation.created_at)}</td>
              <td class="wide-only">{date(invitation.expires_at)}</td>
              <td class="row-actions">
                {isOwner && (
                  <Button
                    kind="quiet"
                    isBusy={withdraw.isBusy}
                    onClick={() => void withdraw.run(invitation)}
                    label={`Withdraw the invitation of ${invitation.email}`}
                  >
                    Withdraw
                  </Button>
                )}
              </td>
            </tr>
          ))}
        </Table>
      )}
    </Section>
  );
}

interface DialogProps {
  readonly onClose: (isChanged: boolean) => Promise<void>;
}

function InviteDialog({ onClose }: DialogProps): JSX.Element {
  const { venue, client } = usePlace();
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<Role>('developer');
  const invite = useAction(async () => {
    await client.console.invitePerson({ email: email.trim(), role });
    showToast(`${email.trim()} is invited.`);
    await onClose(true);
  });
  const other = invite.otherProblem(['/email', '/role']);
  return (
    <Dialog
      title={`Invite to ${venue.name}`}
      onClose={() => void onClose(false)}
      onSubmit={() => void invite.run()}
      note="The mail is valid for 7 days."
      buttons={
        <>
          <Button onClick={() => void onClose(false)}>Cancel</Button>
          <Button kind="primary" type="submit" isBusy={invite.isBusy}>
            Send the invitation
          </Button>
        </>
      }
    >
      {other !== undefined && <Failed error={other} />}
      <TextField
        label="Mail"
        type="email"
        value={email}
        onInput={setEmail}
        error={invite.problemAt('/email')}
        isFocused
      />
      <SelectField
        label="Role"
        value={role}
        choices={ROLES}
        onChange={(value) => setRole(value as Role)}
        error={invite.problemAt('/role')}
      />
    </Dialog>
  );
}

function RoleDialog({ person, onClose }: DialogProps & { readonly person: Person }): JSX.Element {
  const { client } = usePlace();
  const [role, setRole] = useState<Role>(person.role);
  const change = useAction(async () => {
    await client.console.changePersonRole(person.id, { role });
    showToast(`${nameOf(person)} is ${roleName(role).toLowerCase()} now.`);
    await onClose(true);
    // Every screen offers what the role in the session may do.
    if (person.is_you) await loadSession();
  });
  return (
    <Dialog
      title={`Role of ${nameOf(person)}`}
      onClose={() => void onClose(false)}
      onSubmit={() => void change.run()}
      note="Counts from the next request on."
      buttons={
        <>
          <Button onClick={() => void onClose(false)}>Cancel</Button>
          <Button kind="primary" type="submit" isBusy={change.isBusy} isDisabled={role === person.role}>
            Change the role
          </Button>
        </>
      }
    >
      {change.error !== undefined && <Failed error={change.error} />}
      <SelectField
        label="Role"
        value={role}
        choices={ROLES}
        onChange={(value) => setRole(value as Role)}
        hint={
          person.is_you && role !== 'owner'
            ? 'You give up what an owner may do. Another owner can give it back.'
            : undefined
        }
      />
    </Dialog>
  );
}

function RemoveDialog({ person, onClose }: DialogProps & { readonly person: Person }): JSX.Element {
  const { venue, client } = usePlace();
  const remove = useAction(async () => {
    await client.console.removePerson(person.id);
    showToast(`${nameOf(person)} is removed.`);
    await onClose(true);
  });
  return (
    <Dialog
      title={`Remove ${nameOf(person)}?`}
      onClose={() => void onClose(false)}
      onSubmit={() => void remove.run()}
      note="Their account stays, without this venue."
      buttons={
        <>
          <Button onClick={() => void onClose(false)}>Cancel</Button>
          <Button kind="danger" type="submit" isBusy={remove.isBusy}>
            Remove {nameOf(person)}
          </Button>
        </>
      }
    >
      {remove.error !== undefined && <Failed error={remove.error} />}
      <p>From the next request on they see nothing of {venue.name}. Keys that they made keep working.</p>
    </Dialog>
  );
}

function LeaveDialog({ onClose }: DialogProps): JSX.Element {
  const { venue, client } = usePlace();
  const leave = useAction(async () => {
    await client.console.leaveVenue();
    showToast(`You left ${venue.name}.`);
    await loadSession();
    goTo(homeHref(), true);
  });
  return (
    <Dialog
      title={`Leave ${venue.name}?`}
      onClose={() => void onClose(false)}
      onSubmit={() => void leave.run()}
      note="Your account stays. An owner can invite you again."
      buttons={
        <>
          <Button onClick={() => void onClose(false)}>Cancel</Button>
          <Button kind="danger" type="submit" isBusy={leave.isBusy}>
            Leave the venue
          </Button>
        </>
      }
    >
      {leave.error !== undefined && <Failed error={leave.error} />}
      <p>From the next request on you see nothing of it. Keys that you made keep working.</p>
    </Dialog>
  );
}
