import { it } from 'vitest';
import { browserPath } from './browser.ts';
import { openTown, payWith } from './town.ts';

it('debug', async () => {
  const town = await openTown(browserPath() ?? '', { worker: true });
  const ada = await town.person('Ada');
  const ben = await town.person('Ben');
  const [, invite] = await town.party(await town.create(), [ada, ben]);
  const page = await town.phoneOf(ben);
  page.on('console', (m) => console.log('CONSOLE', m.text()));
  page.on('pageerror', (m) => console.log('ERR', m.message));
  page.on('response', (r) => console.log(r.status(), r.request().method(), r.url().slice(0, 120)));
  await page.goto(invite.url);
  await page.screenshot({ path: '/tmp/a.png', fullPage: true });
  await payWith(page, 'Works');
  await page.waitForTimeout(4000);
  await page.screenshot({ path: '/tmp/b.png', fullPage: true });
  await town.close();
}, 60000);
