// What a documentation page has with a script only: a button that copies code, the reader's own test key in the examples,
// the remembered choice of tabs, suggestions while a reader types into the search, and the mark of the section that is
// being read.

const STORED_TAB = 'everyshare-docs-tab';
const MAX_SUGGESTIONS = 8;
/**
 * The console keeps the test keys that it showed in this browser, by venue, the latest last, for as long as a session
 * without requests lasts. It never keeps a live key.
 */
const STORED_KEYS = 'everyshare.test_keys';
const KEY_PLACES = /\$\{?(?:EVERYSHARE_)?KEY\b\}?|svc_test_\u2026/g;

// The explorer was at /docs once, with its place in the fragment.
if (location.pathname === '/docs' && /^#(tag|model|webhook|description)\//.test(location.hash))
  location.replace(`/docs/explorer${location.hash}`);

fillInTestKey();
addCopyButtons();
rememberTabs();
suggestWhileTyping(document.getElementById('search'));
markCurrentSection();
document.querySelector('.side [aria-current]')?.scrollIntoView({ block: 'nearest' });

/** For a reader who is signed in to the console: the examples can be pasted as they are. */
function fillInTestKey() {
  const key = storedTestKey();
  if (key === null) return;
  const texts = [];
  for (const code of document.querySelectorAll('.code code')) {
    const walker = document.createTreeWalker(code, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode())
      if (node.data.search(KEY_PLACES) >= 0) texts.push({ node, before: node.data });
  }
  const [first] = texts;
  if (first === undefined) return;
  const note = document.createElement('p');
  note.className = 'own-key';
  const button = document.createElement('button');
  button.type = 'button';
  const show = (isShown) => {
    for (const { node, before } of texts) node.data = isShown ? before.replace(KEY_PLACES, key) : before;
    note.textContent = isShown
      ? 'Your test key is in the examples. '
      : 'The examples name your test key by a variable. ';
    button.textContent = isShown ? 'Hide it' : 'Show it';
    button.onclick = () => show(!isShown);
    note.append(button);
  };
  // Hidden until the reader wants it: a page of documentation is shown to others.
  show(false);
  first.node.parentElement.closest('.tabs, .code').before(note);
}

function storedTestKey() {
  try {
    const { keys = {}, until = 0 } = JSON.parse(localStorage.getItem(STORED_KEYS) ?? '{}');
    const last = until > Date.now() ? Object.values(keys).at(-1) : undefined;
    return /^svc_test_\w+$/.test(last ?? '') ? last : null;
  } catch {
    return null; // A browser may refuse to read anything: the examples stay as they are.
  }
}

function addCopyButtons() {
  for (const block of document.querySelectorAll('.code')) {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'copy';
    button.textContent = 'Copy';
    button.setAttribute('aria-live', 'polite');
    button.addEventListener('click', async () => {
      button.textContent = await copy(block.querySelector('code').textContent);
      setTimeout(() => {
        button.textContent = 'Copy';
      }, 2000);
    });
    block.append(button);
  }
}

/** A browser refuses the clipboard on a page that came over plain http from another machine. */
async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return 'Copied';
  } catch {
    return 'Select it to copy';
  }
}

/** A choice holds for every group that has a tab of that name, on this page and on the next. */
function rememberTabs() {
  choose(stored());
  for (const input of document.querySelectorAll('.tabs > input')) {
    input.addEventListener('change', () => {
      const top = input.getBoundingClientRect().top;
      choose(input.dataset.tab);
      // Other groups above this one may have become longer: what was chosen stays where it was.
      scrollBy(0, input.getBoundingClientRect().top - top);
      try {
        localStorage.setItem(STORED_TAB, input.dataset.tab);
      } catch {
        // A browser may refuse to store anything: the choice then holds for this page.
      }
    });
  }
}

function stored() {
  try {
    return localStorage.getItem(STORED_TAB);
  } catch {
    return null;
  }
}

function choose(tab) {
  for (const input of document.querySelectorAll('.tabs > input')) if (input.dataset.tab === tab) input.checked = true;
}

/** The index is loaded when the field is first used, and the search itself runs here. */
function suggestWhileTyping(field) {
  const list = document.createElement('ul');
  list.className = 'suggestions';
  list.hidden = true;
  list.setAttribute('aria-label', 'Suggestions');
  field.form.append(list);
  let loading = null;
  const load = () => {
    loading ??= Promise.all([import('./search-rank.js'), loadIndex()]).catch((error) => {
      // The next use of the field tries again.
      loading = null;
      throw error;
    });
    return loading;
  };
  const show = async () => {
    const [{ findSections }, index] = await load();
    if (!field.form.contains(document.activeElement)) return;
    const found = findSections(index, field.value, MAX_SUGGESTIONS);
    list.replaceChildren(...found.map(suggestion));
    list.hidden = found.length === 0;
  };
  // Without its index the field still sends the form.
  field.addEventListener('focus', () => load().catch(() => {}));
  field.addEventListener('input', () => show().catch(() => {}));
  field.form.addEventListener('keydown', (event) => moveThrough(event, field, list));
  field.form.addEventListener('focusout', (event) => {
    if (!field.form.contains(event.relatedTarget)) list.hidden = true;
  });
  document.addEventListener('keydown', (event) => {
    if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey) return;
    if (/^(input|textarea|select)$/i.test(document.activeElement?.tagName ?? '')) return;
    event.preventDefault();
    field.focus();
  });
}

async function loadIndex() {
  const response = await fetch('/docs/search-index.json');
  if (!response.ok) throw new Error(`the index of the search is answered with ${response.status}`);
  return response.json();
}

function suggestion({ page, title, path }) {
  const item = document.createElement('li');
  const link = document.createElement('a');
  link.href = path;
  link.textContent = title === '' ? page : title;
  if (title !== '') {
    const from = document.createElement('span');
    from.textContent = page;
    link.append(from);
  }
  item.append(link);
  return item;
}

/** The arrow keys go through field and suggestions; Escape closes them. */
function moveThrough(event, field, list) {
  const stops = [field, ...list.querySelectorAll('a')];
  const at = stops.indexOf(document.activeElement);
  if (event.key === 'Escape' && !list.hidden) {
    list.hidden = true;
    field.focus();
  } else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
    if (list.hidden || at < 0) return;
    stops[(at + (event.key === 'ArrowDown' ? 1 : stops.length - 1)) % stops.length].focus();
  } else return;
  event.preventDefault();
}

function markCurrentSection() {
  const links = new Map([...document.querySelectorAll('.sections a')].map((link) => [link.hash.slice(1), link]));
  const headings = [...links.keys()].map((id) => document.getElementById(id)).filter((heading) => heading !== null);
  if (headings.length === 0) return;
  const mark = () => {
    const current = headings.findLast((heading) => heading.getBoundingClientRect().top < 160) ?? headings[0];
    for (const [id, link] of links) {
      if (id === current.id) link.setAttribute('aria-current', 'true');
      else link.removeAttribute('aria-current');
    }
  };
  addEventListener('scroll', () => requestAnimationFrame(mark), { passive: true });
  mark();
}
