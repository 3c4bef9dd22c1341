// The form for choosing the party: people from the contacts, buttons for the number of seats, and the number of people, the
// amount per person and the rest of a custom split while the organizer types. The server computes everything again.

const form = document.querySelector('form[data-choose], form[data-split]');
const language = document.documentElement.lang;
const money = new Intl.NumberFormat(language, { style: 'currency', currency: form?.dataset.currency ?? 'usd' });
const totalCents = Number(form?.dataset.amount);

/** The number of open seats. As long as it is the proposed one, it gives way to the people who are named. */
function roomFor(named, hasChats) {
  const field = form.querySelector('[name="seats"]');
  const proposed = form.querySelector('[name="proposed"]');
  // Chats may share members: the server counts them.
  if (!hasChats && proposed.value !== '' && field.value === proposed.value) {
    field.value = Math.max(0, Number(form.dataset.most) - named);
    proposed.value = field.value;
  }
  return Math.max(0, Number.parseInt(field.value, 10) || 0);
}

/** The people in the box, as far as they seem to have a number. */
function countTyped() {
  const parts = form.querySelector('#people').value.split(/[\n,;]+/);
  return parts.filter((part) => part.replaceAll(/\D/g, '').length > 6).length;
}

/** Adds people from the contacts of the device to the box, and sends the box. */
async function addContacts() {
  const box = form.querySelector('#people');
  const found = await navigator.contacts.select(['name', 'tel'], { multiple: true });
  const lines = found.filter(({ tel }) => tel?.length > 0).map(({ name, tel }) => [name?.[0] ?? '', tel[0]]);
  if (lines.length === 0) return;
  // A comma divides people.
  const added = lines.map((parts) => parts.join(' ').replaceAll(/[\n,;]+/g, ' '));
  box.value = [box.value.trim(), ...added].join('\n').trim();
  form.requestSubmit(form.querySelector('[value="add"]'));
}

function enhanceForm() {
  const seats = form.querySelector('#seats');
  for (const button of form.querySelectorAll('[data-step]')) {
    button.hidden = false;
    button.addEventListener('click', () => {
      const wanted = (Number.parseInt(seats.value, 10) || 0) + Number(button.dataset.step);
      seats.value = Math.min(Math.max(wanted, Number(seats.min)), Number(seats.max));
      seats.dispatchEvent(new Event('input', { bubbles: true }));
    });
  }
  const contacts = form.querySelector('[data-contacts]');
  contacts.hidden = navigator.contacts?.select === undefined;
  // The guest closed the list of contacts: not an error.
  contacts.addEventListener('click', () => addContacts().catch(() => undefined));
}

function showTally() {
  const tally = form.querySelector('[data-tally]');
  const ticked = form.querySelectorAll('input[name="member"]:checked').length;
  const chats = [...form.querySelectorAll('input[name="channel"]:checked')];
  const inChats = chats.reduce((sum, { dataset }) => sum + Number(dataset.people), 0);
  const phones = form.querySelectorAll('input[name="phone"]').length;
  const named = 1 + ticked + inChats + phones + countTyped();
  const seats = roomFor(named, chats.length > 0);
  const people = named + seats;
  // Chats may share members with each other and with friends, so only the server knows the number of people.
  const isTooMany = people > Number(form.dataset.most) && chats.length === 0;
  const each = money.format(Math.floor(totalCents / people) / 100);
  const { template, tooMany } = tally.dataset;
  const text = template.replace('{people}', people).replace('{each}', each);
  tally.textContent = isTooMany ? tooMany : chats.length > 0 ? '' : text;
  tally.classList.toggle('error', isTooMany);
}

function centsOf({ value }) {
  const match = /^[^\d.,-]*(\d{1,7})(?:[.,](\d{1,2}))?[^\d.,]*$/.exec(value.trim());
  return match === null ? null : Number(match[1]) * 100 + Number((match[2] ?? '').padEnd(2, '0'));
}

function showRemainder() {
  const line = form.querySelector('[data-left]');
  const amounts = [...form.querySelectorAll('input[name^="amount:"]')].map(centsOf);
  if (line === null) return;
  if (amounts.includes(null)) {
    line.textContent = line.dataset.unread;
    line.classList.add('error');
    return;
  }
  const left = totalCents - amounts.reduce((sum, amount) => sum + amount, 0);
  const { exact, under, over } = line.dataset;
  const difference = (left > 0 ? under : over).replace('{amount}', money.format(Math.abs(left) / 100));
  line.textContent = left === 0 ? exact : difference;
  line.classList.toggle('error', left !== 0);
}

if (form?.dataset.choose !== undefined) {
  enhanceForm();
  form.addEventListener('input', showTally);
  showTally();
}
if (form?.dataset.split !== undefined) {
  form.addEventListener('input', showRemainder);
  showRemainder();
}
