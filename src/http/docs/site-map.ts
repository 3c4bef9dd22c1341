// The order of the documentation: which guides there are, in groups by what a reader wants to do. The sidebar, the home
// page, the links to the previous and next page, and /llms.txt follow it. A test compares it with docs/guides.

export interface GuideGroup {
  readonly title: string;
  /** Names of files in docs/guides, without `.md`. */
  readonly guides: readonly string[];
}

export const GUIDE_GROUPS: readonly GuideGroup[] = [
  { title: 'Start here', guides: ['quickstart', 'console'] },
  { title: 'What you sell', guides: ['publish', 'pricing', 'venue-systems'] },
  { title: 'Bookings and payments', guides: ['payments', 'webhooks', 'guests', 'embed', 'guest-api'] },
  { title: 'Agents and figures', guides: ['agents', 'analytics'] },
  {
    title: 'How the API works',
    guides: ['authentication', 'errors', 'idempotency', 'paging', 'limits', 'versions'],
  },
  { title: 'Before you go live', guides: ['testing', 'going-live'] },
  {
    title: 'For operators',
    guides: [
      'install',
      'operating',
      'desk',
      'backup',
      'failover',
      'upgrade',
      'privacy',
      'monitoring',
      'incidents',
      'stripe',
      'money-operations',
      'guest-pages',
      'activity',
      'import',
    ],
  },
];

export interface SiteLink {
  readonly path: string;
  readonly title: string;
}

/** What is looked up, not read. */
export const LOOK_UP: readonly SiteLink[] = [
  { path: '/docs/reference', title: 'API reference' },
  { path: '/docs/sdk', title: 'TypeScript SDK' },
  { path: '/docs/examples', title: 'Examples' },
  { path: '/docs/errors', title: 'Error codes' },
  { path: '/docs/providers', title: 'Venue systems' },
  { path: '/docs/scaling', title: 'Scaling' },
  { path: '/docs/performance', title: 'Performance' },
  { path: '/docs/changelog', title: 'Changelog' },
];

/** Files outside the folders of docs/ that are pages, and their addresses. */
export const OUTSIDE_FILES: Readonly<Record<string, string>> = {
  'sdk/README.md': '/docs/sdk',
  'examples/README.md': '/docs/examples',
  'docs/scaling.md': '/docs/scaling',
  'docs/performance.md': '/docs/performance',
  'CHANGELOG.md': '/docs/changelog',
};

/** Addresses of earlier releases, and where their pages are now. */
export const MOVED: Readonly<Record<string, string>> = { '/docs/guides': '/docs' };
