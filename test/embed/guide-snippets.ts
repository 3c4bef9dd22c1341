// The snippets of docs/guides/embed.md, with real ids in place of its examples, and those of React and Vue as scripts that a page
// can load: bundled as a partner's build would.

import { createRequire } from 'node:module';
import { build } from 'esbuild';
import { packageRoot } from '../../src/base/package-root.ts';
import { readBlocks } from '../docs/read-blocks.ts';

export interface RealValues {
  readonly api: string;
  readonly checkoutId: string;
  readonly key: string;
}

const GUIDE = 'docs/guides/embed.md';

export function snippet(language: string, { api, checkoutId, key }: RealValues): string {
  const found = readBlocks(GUIDE).filter((block) => block.language === language);
  if (found.length !== 1) throw new Error(`${GUIDE} has ${found.length} blocks of ${language}`);
  return (found[0]?.text ?? '')
    .replaceAll('https://api.everyshare.example', api)
    .replaceAll('https://pay.everyshare.example', api)
    .replaceAll(/chk_[0-9a-z]{26}/g, checkoutId)
    .replaceAll(/pk_test_\w+/g, key);
}

async function bundle(contents: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: packageRoot, loader: 'jsx' },
    bundle: true,
    write: false,
    format: 'esm',
    jsx: 'automatic',
    define: {
      'process.env.NODE_ENV': '"production"',
      __VUE_OPTIONS_API__: 'true',
      __VUE_PROD_DEVTOOLS__: 'false',
      __VUE_PROD_HYDRATION_MISMATCH_DETAILS__: 'false',
    },
    logLevel: 'warning',
  });
  return outputFiles[0]?.text ?? '';
}

/** Shows the component of the guide in `#app`, and counts what it reports in the title. */
export function reactScript(values: RealValues): Promise<string> {
  return bundle(`import { createRoot } from 'react-dom/client';
${snippet('jsx', values)}
createRoot(document.querySelector('#app')).render(
  <GroupPayment checkout="${values.checkoutId}" publishableKey="${values.key}" onCompleted={() => { document.title = 'Booked'; }} />);`);
}

/** The part of Vue's compiler that is used here: its own types need those of a browser. */
interface VueCompiler {
  compileTemplate(options: {
    readonly id: string;
    readonly filename: string;
    readonly source: string;
    readonly compilerOptions: { readonly isCustomElement: (tag: string) => boolean };
  }): { readonly code: string; readonly errors: readonly unknown[] };
}

export function vueScript(values: RealValues): Promise<string> {
  const { compileTemplate } = createRequire(import.meta.url)('vue/compiler-sfc') as VueCompiler;
  const isCustomElement = (tag: string): boolean => tag === 'everyshare-checkout';
  const { code, errors } = compileTemplate({
    id: 'guide',
    filename: 'guide.vue',
    source: snippet('vue', values),
    compilerOptions: { isCustomElement },
  });
  if (errors.length > 0) throw new Error(String(errors[0]));
  return bundle(`import { createApp } from 'vue';
${code}
createApp({
  data: () => ({ checkout: '${values.checkoutId}', publishableKey: '${values.key}' }),
  methods: { onCompleted() { document.title = 'Booked'; } },
  render,
}).mount('#app');`);
}
