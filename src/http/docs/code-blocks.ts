// A fenced block of code as HTML. Blocks that follow one another and name a tab (```sh tab=curl) show the same call in
// several ways: they become tabs, made of radio buttons and CSS, so that they work without a script.

import { escapeHtml } from './escape-html.ts';
import { highlight } from './highlight.ts';

export interface CodeBlock {
  readonly text: string;
  readonly language: string;
  /** Null: it stands alone. */
  readonly tab: string | null;
}

/** `lang` is what follows the fence: the language, then words such as `tab=curl` and `not-run`. */
export function readCodeBlock({
  text,
  lang,
}: {
  readonly text: string;
  readonly lang?: string | undefined;
}): CodeBlock {
  const [language = '', ...marks] = (lang ?? '').split(/\s+/);
  const tab = marks.find((mark) => mark.startsWith('tab='))?.slice('tab='.length) ?? null;
  return { text, language, tab };
}

/** A code block may scroll sideways, so the keyboard has to reach it. */
export function renderCode({ text, language }: CodeBlock): string {
  return `<div class="code"><pre tabindex="0"><code>${highlight(text, language)}</code></pre></div>\n`;
}

/** The script of the page remembers the choice by the name in `data-tab`. */
export function renderTabs(blocks: readonly CodeBlock[], id: string): string {
  const choices = blocks.map(({ tab }, index) => {
    const name = escapeHtml(tab ?? '');
    const checked = index === 0 ? ' checked' : '';
    return `<input type="radio" name="${id}" id="${id}-${index}" data-tab="${name}"${checked}><label for="${id}-${index}">${name}</label>`;
  });
  const panels = blocks.map((block) => renderCode(block).replace('"code"', '"code panel"'));
  return `<div class="tabs" role="group" aria-label="The same call in several ways">\n${choices.join('')}\n${panels.join('')}</div>\n`;
}
