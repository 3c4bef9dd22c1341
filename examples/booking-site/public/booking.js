// The page of a booking: when the embed says that the group has paid, or that the time is up, the page waits for the site's own
// answer, which comes with the webhook. The browser's event alone confirms nothing.

const booking = document.querySelector('[data-booking]');
const MAX_WAITS = 60;

async function waitForSite() {
  for (let waits = 0; waits < MAX_WAITS; waits++) {
    const response = await fetch(`${location.pathname}.json`, { cache: 'no-store' }).catch(() => null);
    const status = response?.ok ? (await response.json()).status : 'waiting';
    if (status !== booking.dataset.booking) return location.reload();
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
}

if (booking.dataset.booking === 'waiting')
  for (const name of ['completed', 'expired', 'canceled']) document.addEventListener(`everyshare:${name}`, waitForSite);

// Times in the guest's own zone.
for (const time of document.querySelectorAll('time')) {
  const format = new Intl.DateTimeFormat(document.documentElement.lang, { dateStyle: 'full', timeStyle: 'short' });
  time.textContent = format.format(new Date(time.dateTime));
}
