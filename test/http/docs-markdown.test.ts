// How a page of the documentation is made from Markdown: raw HTML, links, ids, tabs and coloured code.

import { describe, expect, it } from 'vitest';
import { highlight } from '../../src/http/docs/highlight.ts';
import { renderMarkdown } from '../../src/http/docs/markdown.ts';

const HERE = '/docs/guides/here';
const linksOf = (html: string): string[] => [...html.matchAll(/href="([^"]*)"/g)].map((match) => match[1] ?? '');

describe('Markdown', () => {
  it('shows raw HTML as text', async () => {
    const { html } = await renderMarkdown('# T\n\n<script>alert(1)</script>\n\na <b onclick="x">b</b>', HERE);
    expect(html).not.toMatch(/<script|<b /);
    expect(html).toContain('&lt;script&gt;');
  });

  it('turns links between files into links between pages, and drops links that would run code', async () => {
    const { html } = await renderMarkdown(
      '[a](x.md) [b](../errors/y.md#z) [c](javascript:alert(1)) [d](https://a.example/) [e](../../CHANGELOG.md)',
      HERE,
    );
    expect(linksOf(html)).toEqual(['/docs/guides/x', '/docs/errors/y#z', 'https://a.example/', '/docs/changelog']);
  });

  it('links an address of this server that a guide names as code, but never inside another link', async () => {
    const { html } = await renderMarkdown('See `/docs/reference`, `/v1/me` and [`/llms.txt`](/llms.txt).', HERE);
    expect(linksOf(html)).toEqual(['/docs/reference', '/llms.txt']);
  });

  it('gives every heading its own id', async () => {
    const { html } = await renderMarkdown('# One two\n\n## Same\n\n## Same\n\n## `code`, and more', HERE);
    expect([...html.matchAll(/<h\d id="([^"]*)"/g)].map((match) => match[1])).toEqual([
      'one-two',
      'same',
      'same-1',
      'code-and-more',
    ]);
  });

  it('keeps the text of each section for the search, tables and lists included', async () => {
    const source = '# T\n\nIntro.\n\n## A\n\n- one `two`\n\n| x | y |\n| - | - |\n| three | four |\n\n### B\n\nlast';
    const { searchTexts } = await renderMarkdown(source, HERE);
    expect(searchTexts).toEqual([
      { id: '', title: '', text: 'Intro.' },
      { id: 'a', title: 'A', text: 'one two x y three four' },
      { id: 'b', title: 'B', text: 'last' },
    ]);
  });
});

describe('blocks of code', () => {
  it('that name a tab and follow one another are one group, which works without a script', async () => {
    const fence = (info: string, text: string): string => `\`\`\`${info}\n${text}\n\`\`\`\n\n`;
    const source = `${fence('sh tab=curl', 'a')}${fence('ts tab=TypeScript', 'b')}Then:\n\n${fence('sh', 'c')}${fence('sh tab=curl', 'd')}`;
    const { html } = await renderMarkdown(`# T\n\n${source}`, HERE);
    expect(html.match(/<div class="tabs"/g)).toHaveLength(2);
    expect(html.match(/<input type="radio"/g)).toHaveLength(3);
    expect(html.match(/ checked>/g)).toHaveLength(2);
    expect([...html.matchAll(/<label[^>]*>([^<]*)</g)].map((match) => match[1])).toEqual([
      'curl',
      'TypeScript',
      'curl',
    ]);
    expect(html.match(/class="code panel"/g)).toHaveLength(3);
  });

  it.each([
    ['sh', `curl -X POST "$BASE" -d '{ "a": "<b>" }' # note`],
    ['json', '{ "a": [1, -2.5, true, null], "b<": "x" }'],
    ['ts', 'const a = `x`; // "note"\nimport { b } from "c";'],
    ['python', 'def f(a: bytes) -> bool: return a == b"x"  # <note>'],
    ['text', '<anything> & more'],
    ['constructor', 'no such language <b>'],
  ])('of %s are coloured without a change to their text', (language, code) => {
    const html = highlight(code, language);
    const text = html.replace(/<\/?span[^>]*>/g, '');
    expect(text).not.toMatch(/[<>"]/);
    const plain = text
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&quot;', '"')
      .replaceAll('&amp;', '&');
    expect(plain).toBe(code);
  });

  it('know names, strings, numbers and words of JSON apart', () => {
    expect(highlight('{"a": "b", "c": 1, "d": null}', 'json')).toBe(
      '{<span class="t-name">&quot;a&quot;</span>: <span class="t-string">&quot;b&quot;</span>, <span class="t-name">&quot;c&quot;</span>: <span class="t-number">1</span>, <span class="t-name">&quot;d&quot;</span>: <span class="t-keyword">null</span>}',
    );
  });
});
