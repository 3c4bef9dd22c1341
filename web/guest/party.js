// The form for choosing the party: adds rows for phones, and shows the number of people, the amount per person and the
// rest of a custom split while the organizer types. The server computes everything again.

const form = document.querySelector('form[data-choose], form[data-split]');
const language = document.documentElement.lang;
const money = new Intl.NumberFormat(language, { style: 'currency', currency: form?.dataset.currency ?? 'usd' });
const totalCents = Number(form?.dataset.amount);

function addRow(rows) {
  const next = rows.lastElementChild.cloneNode(true);
  const number = rows.children.length;
  for (const error of next.querySelectorAll('.error')) error.remove();
  for (const element of next.querySelectorAll('[id]')) element.id = element.id.replace(/\d+$/, number);
  for (const label of next.querySelectorAll('label')) label.htmlFor = label.htmlFor.replace(/\d+$/, number);
  for (const input of next.querySelectorAll('input')) {
    input.value = '';
    input.removeAttribute('aria-invalid');
    input.removeAttribute('aria-describedby');
  }
  rows.append(next);
  next.querySelector('input').focus();
}

/** The number of open seats. As long as it is the proposed one, it gives way to the people who are named. */
function roomFor(named) {
  const field = form.querySelector('[name="seats"]');
  const proposed = form.querySelector('[name="proposed"]');
  if (proposed.value !== '' && field.value === proposed.value) {
    field.value = Math.max(0, Number(form.dataset.most) - named);
    proposed.value = field.value;
  }
  return Math.max(0, Number.parseInt(field.value, 10) || 0);
}

function showTally() {
  const tally = form.querySelector('[data-tally]');
  const ticked = form.querySelectorAll('input[name="member"]:checked').length;
  const chats = [...form.querySelectorAll('input[name="channel"]:checked')];
  const inChats = chats.reduce((sum, { dataset }) => sum + Number(dataset.people), 0);
  const phones = [...form.querySelectorAll('input[name="phone"]')].filter(({ value }) => value.trim() !== '').length;
  const named = 1 + ticked + inChats + phones;
  const seats = roomFor(named);
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
  form.querySelector('[data-add-row]').addEventListener('click', (event) => {
    event.preventDefault();
    addRow(form.querySelector('[data-rows]'));
  });
  form.addEventListener('input', showTally);
  showTally();
}
if (form?.dataset.split !== undefined) {
  form.addEventListener('input', showRemainder);
  showRemainder();
}
