// Which mails the signed-in person gets about the venue. Each switch is saved when it is turned.

import type { JSX } from 'preact';
import { useAction } from '../../client/action.ts';
import { useLoad } from '../../client/load.ts';
import { usePlace } from '../../session.ts';
import { announce } from '../../shell/announce.tsx';
import { Failed, Shown } from '../../ui/parts.tsx';

export function Notifications(): JSX.Element {
  const { client } = usePlace();
  const loaded = useLoad(
    (signal) => client.console.getNotifications({ signal }).then(({ answer }) => answer),
    [client],
  );
  const change = useAction(async (kind: string, isOn: boolean) => {
    await client.console.changeNotifications({ preferences: { [kind]: isOn } });
    announce('Saved.');
    await loaded.reload();
  });
  return (
    <Shown loaded={loaded} lines={5}>
      {({ data }) => (
        <>
          {change.error !== undefined && <Failed error={change.error} />}
          {data.map(({ kind, title, enabled, always }) => (
            <label key={kind} class="check">
              <input
                type="checkbox"
                checked={enabled}
                disabled={always || change.isBusy}
                onChange={(event) => void change.run(kind, event.currentTarget.checked)}
              />
              {title} {always && <span class="quiet">always</span>}
            </label>
          ))}
        </>
      )}
    </Shown>
  );
}
