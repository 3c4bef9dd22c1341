import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { COMPILED, compiledSources } from './test/support/compiled-sources.ts';

/** Starts no PostgreSQL. A file that opens a TestWorld fails here at once, and belongs to `database`. */
const PURE = [
  'test/{bench,chaos,logs,mutants,outbound,upgrade}/**/*.test.ts',
  'test/accounts/{csv-text,device-name,polls,review-checks}.test.ts',
  'test/agreement/{constants,openapi-types,phones,rules,schemas}.test.ts',
  'test/base/{base,calendar-file,document-order,extract-paths,json,money,network,plain-name,restart-backoff,standby-reads,theme,translations}.test.ts',
  'test/boats/calendar-{bounds,feeds}.test.ts',
  'test/cli/{every-page,table}.test.ts',
  'test/docs/{facts,quickstart,typescript}.test.ts',
  'test/fuzz/checks.test.ts',
  'test/guests/reminders.test.ts',
  'test/hooks/{mapping,reader-language,signatures}.test.ts',
  'test/http/{docs,docs-markdown,event-stream,metrics,retry-after}.test.ts',
  'test/offerings/{price,recurrence,slots}.test.ts',
  'test/pages/{stylesheet,typed-people}.test.ts',
  'test/payments/{decide-*,decline-limit,hold-polls,payout-status,processor-event,statement-suffix,stripe*}.test.ts',
  'test/requests/mask.test.ts',
  'test/sandbox/{accounts,balances,faults,journal,past-calls,payment-intents,refunds-transfers,webhooks}.test.ts',
  'test/sdk/{event-stream,package,request-input,requests,webhooks}.test.ts',
  'test/sim/{choose-seeds,snapshot}.test.ts',
  'test/tidy/{docs,migrations,personal-data,portable-sql,tree,words}.test.ts',
  'test/webhooks/delivery-loop.test.ts',
];

/** Files in which every test needs a browser, simulates random worlds, starts or kills programs, or waits for what hangs. */
const SLOW = [
  'test/sim/{money,planted-bugs}.test.ts',
  'test/pages/{live,motion,poster,right-to-left,slow-line,states,stories,stripe-driver}.test.ts',
  'test/{console,embed,examples}/**/*.test.ts',
  'test/docs/site.test.ts',
  'test/fuzz/{fuzz,fixes}.test.ts',
  'test/analytics/{exact,seeds,index-reads}.test.ts',
  'test/webhooks/{endpoint-queues,concurrent-changes,receivers-guide}.test.ts',
  'test/hooks/crash.test.ts',
  'test/offerings/recurrence-agreement.test.ts',
  'test/walls/**/*.test.ts',
  'test/mcp/clients.test.ts',
  'test/checkouts/{last-hold,reconcile-restored}.test.ts',
  'test/process/**/*.test.ts',
  'test/mcp/config.test.ts',
  'test/cli/command.test.ts',
  'test/base/upgrade.test.ts',
  'test/sandbox/{postgres,processor-process,readme}.test.ts',
];

/**
 * Compares whole surfaces, repeats calls at once, or walks through the processor's faults and outcomes. The fast loop
 * leaves these files to `npm test`: another file there says the same promise for the ordinary case.
 */
const THOROUGH = [
  'test/accounts/{desk-review,desk-venues,first-steps,keys,own-account,passkeys,people,sign-in}.test.ts',
  'test/go-live/{domain,notices}.test.ts',
  'test/agreement/{checkout-views,expiry,openapi-examples,payers,refund-preview,schemas,seats}.test.ts',
  'test/base/{database,migrate}.test.ts',
  'test/demo/demo.test.ts',
  'test/boats/calendar-bounds.test.ts',
  'test/checkouts/{bounded-loops,cards,close-refund,console-lists,create-once,disputed-refunds,disputes}.test.ts',
  'test/checkouts/{processor-events,processor-fees,read-prefetch,statements,timeline}.test.ts',
  'test/checkouts/{refund-books,refund-ends,refund-funds,stored-failures,test-helpers,unpayable-venue,venue-debts}.test.ts',
  'test/cli/{analytics,encryption,import,installation,ledger,listen,login,processor,review}.test.ts',
  'test/docs/{examples,typescript}.test.ts',
  'test/guests/{card-testing,daily-limits,ended-checkouts,image-attempts,images,issuer,languages,leaving,limits}.test.ts',
  'test/guests/{receipt-mail,remind,renewal,saved-card,seats,sign-in-codes,text-limit,text-messages,twilio}.test.ts',
  'test/hooks/{address,apply,availability-reads,bookings,daily-reads,mews-reads,product-reads,read-failures,reads}.test.ts',
  'test/hooks/{reader-promises,retention,service-reads,states,sync,toast-reads}.test.ts',
  'test/webhooks/{endpoints,event-feeds,retention,schedule,stream}.test.ts',
  'test/http/{analytics,answer-size,apple-pay,connections,docs,event-stream,example-fixes,hardening,headers}.test.ts',
  'test/http/{limits,page-stream,payout-pages,progress}.test.ts',
  'test/mcp/{agreement,faults}.test.ts',
  'test/monitoring/{alerts,health,series,traces,work-signal,worker-port}.test.ts',
  'test/pages/{inviting,leaving,party-step,same-group,stylesheet,typed-people}.test.ts',
  'test/requests/{buffer,request-log}.test.ts',
  'test/sdk/{event-stream,operations,package,readme,requests}.test.ts',
  'test/privacy/erase-guest.test.ts',
  'test/payments/{decide-walk,desk-disputes,desk-money,paid-by-hand-disputes,statement-suffix,stripe-errors}.test.ts',
  'test/sandbox/{faults,webhooks}.test.ts',
];

/**
 * Whole programs, screens and documents, each of which another file shows in its ordinary case: `npm test` leaves them to
 * `npm run test:proofs`, because with them it takes twice as long. CI runs both.
 */
const PROOFS = [
  'test/agreement/{openapi,openapi-types}.test.ts',
  'test/analytics/{exact,index-reads}.test.ts',
  'test/console/{checkouts,codes-by-mail,desk,desk-actions,going-live,integrations,keys,passkeys}.test.ts',
  'test/console/{polls,requests,shell,venue,webhooks}.test.ts',
  'test/demo/demo.test.ts',
  'test/docs/site.test.ts',
  'test/{embed,examples}/**/*.test.ts',
  'test/mcp/clients.test.ts',
  'test/offerings/recurrence-agreement.test.ts',
  'test/pages/{motion,poster,right-to-left,slow-line,stripe-driver}.test.ts',
  'test/process/{backup,built-program,load,package,processes,server-address,standby-reads}.test.ts',
  'test/sandbox/{postgres,processor-process,readme}.test.ts',
  'test/sdk/package.test.ts',
  'test/sim/planted-bugs.test.ts',
  'test/webhooks/{concurrent-changes,endpoint-queues,receivers-guide}.test.ts',
];

/** Repeat more, draw new random input, or show more variants, in `npm run test:long` than in `npm test`. */
const LONG = [
  'test/agreement/{checkout-views,deliveries,expiry,fee,idempotency,parties,payers,refund-preview,rolling-hour,rules,seats}.test.ts',
  'test/analytics/{exact,seeds}.test.ts',
  'test/base/{base,calendar-file,document-order,extract-paths,json,money,parsed-body,plain-name,theme}.test.ts',
  'test/boats/calendar-bounds.test.ts',
  'test/checkouts/{last-hold,refund-books}.test.ts',
  'test/cli/import.test.ts',
  'test/console/*.test.ts',
  'test/fuzz/fixes.test.ts',
  'test/guests/reminders.test.ts',
  'test/offerings/{price,recurrence,recurrence-agreement,slots}.test.ts',
  'test/pages/{states,typed-people}.test.ts',
  'test/payments/{decide-*,decline-limit,processor-event,statement-suffix}.test.ts',
  'test/process/start.test.ts',
  'test/requests/{blocks,mask}.test.ts',
];

/** The longest first: otherwise one worker is busy at the end of a run while the others have nothing left. */
const LONGEST = [
  '/test/pages/states',
  '/test/pages/stories',
  '/test/process/start',
  '/test/sim/money',
  '/test/console/checkouts',
  '/test/embed/',
  '/test/examples/',
  '/test/docs/',
  '/test/walls/foreign',
  '/test/fuzz/fuzz',
  '/test/webhooks/stream',
  '/test/console/',
  '/test/pages/',
  '/test/sandbox/postgres',
  '/test/analytics/exact',
  '/test/checkouts/last-hold',
  '/test/process/',
  '/test/sim/',
];

class LongestFirst extends BaseSequencer {
  /** A worker serves one project, so the files of a project stand together. */
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const projects = ['slow', 'database', 'pure'];
    const rank = ({ project, moduleId }: TestSpecification): number => {
      const place = LONGEST.findIndex((name) => moduleId.includes(name));
      return projects.indexOf(project.name) * 200 + (place < 0 ? LONGEST.length : place);
    };
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b));
  }
}

const LOGS = 'test/logs/setup.ts';
const POSTGRES = 'test/support/postgres-setup.ts';
/** Servers serve the built console. */
const CONSOLE = 'test/support/console-setup.ts';
const BROWSER = 'test/support/browser-setup.ts';

/** Three servers of a cluster on one machine (`npm run citus`): a statement takes several times as long. */
const SLOWDOWN = process.env.CITUS === undefined ? 1 : 5;

const limits = {
  // A test that needs longer says so itself.
  testTimeout: 20_000 * SLOWDOWN,
  hookTimeout: 60_000 * SLOWDOWN,
  // Vitest's own second is too short on a busy machine, and no promise depends on it.
  expect: { poll: { timeout: 15_000 * SLOWDOWN } },
  setupFiles: ['test/support/fixed-seed.ts'],
  // Files share what they import: importing it anew for each file costs more than a quarter of the tests themselves.
  isolate: false,
};

export default defineConfig(({ mode }) => {
  // Only Vite knows which tests a change concerns.
  const watches = process.argv.includes('--watch') || !process.argv.includes('run');
  const shared = {
    ...limits,
    provide: { isFastLoop: mode === 'fast', isUsual: mode === 'usual', isLong: mode === 'long' },
    ...(watches ? {} : { server: { deps: { external: [COMPILED] } } }),
  };
  const loading = watches ? {} : { plugins: [compiledSources()] };
  const project = <Test extends object>(test: Test) => ({ test: { ...shared, ...test }, ...loading });
  const pure = project({ name: 'pure', include: PURE, globalSetup: [LOGS] });
  const database = project({
    name: 'database',
    include: ['test/**/*.test.ts'],
    exclude: [...PURE, ...SLOW],
    globalSetup: [LOGS, POSTGRES, CONSOLE],
  });
  // Whole stories in a browser, simulations and killed programs: slow by nature, and slower on a busy machine.
  const everything = [LOGS, POSTGRES, CONSOLE, BROWSER];
  const slow = project({ name: 'slow', include: SLOW, globalSetup: everything });
  // `npm test` has all but the proofs as one, and the fast loop the first two: a worker serves one project, and each start
  // of a worker imports the whole program.
  const usual = project({
    name: 'usual',
    include: ['test/**/*.test.ts'],
    exclude: PROOFS,
    globalSetup: everything,
  });
  const proofs = project({
    name: 'proofs',
    include: [...PROOFS, 'test/pages/states.test.ts'],
    globalSetup: everything,
  });
  const fast = project({
    name: 'fast',
    include: ['test/**/*.test.ts'],
    exclude: [...SLOW, ...THOROUGH],
    globalSetup: [LOGS, POSTGRES, CONSOLE],
  });
  const long = project({ name: 'long', include: LONG, globalSetup: everything });
  return {
    test: {
      // For two cores: while two workers wait for a browser, a receiver or a program, others have something to do. The fast
      // loop waits less, and each worker imports the whole program.
      maxWorkers: mode === 'fast' ? 3 : 6,
      sequence: { sequencer: LongestFirst },
      // Keeps what esbuild made of each file, by its content: a second run transforms only what changed.
      experimental: { fsModuleCache: true },
      tags: [
        {
          name: 'slow',
          description:
            'Repeats random states or races many times, or waits for a time-out: npm run test:fast leaves it out.',
          timeout: 60_000,
        },
      ],
      projects: { fast: [fast], usual: [usual], proofs: [proofs], long: [long] }[mode] ?? [pure, database, slow],
    },
  };
});
