// Runs axe, which looks for faults of accessibility, in the page that a browser shows.

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';

const script = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

/** Tags of rules, or the names of rules. */
export type AxeRules = readonly string[] | { readonly type: 'rule'; readonly values: readonly string[] };

/** WCAG 2.2 AA. */
export const ALL_RULES: AxeRules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
/** The rules whose result can differ between the variants of one page. */
export const COLOR_RULES: AxeRules = { type: 'rule', values: ['color-contrast', 'link-in-text-block'] };
export const WIDTH_RULES: AxeRules = { type: 'rule', values: ['target-size', 'scrollable-region-focusable'] };

/** What axe finds, one line for each rule that is broken. */
export async function axeFindings(page: Page, rules: AxeRules): Promise<string[]> {
  // The script is half a megabyte: it is sent once for each document.
  if (!(await page.evaluate<boolean>("typeof axe === 'object'"))) await page.evaluate(script);
  // `preload` is for rules about sound and about a locked orientation: the first finds nothing here, the second is off.
  const options = JSON.stringify({ runOnly: rules, resultTypes: ['violations'], preload: false });
  // The page returns lines alone: Playwright takes longer to copy the results of all rules than axe takes to find them.
  return page.evaluate<string[]>(
    `axe.run(document, ${options}).then(({ violations }) => violations.map(({ id, help, nodes }) =>
      id + ': ' + help + ': ' + nodes.map(({ html, failureSummary }) => html + ' ' + failureSummary).join('; ')))`,
  );
}
