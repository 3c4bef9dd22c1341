// Markdown to HTML, for pages that we wrote ourselves and still do not trust with raw HTML: it is shown, not obeyed.

import { Marked, type RendererObject, type Tokens } from 'marked';
