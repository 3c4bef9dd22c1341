// Medusa as a server without the admin pages. Where its documentation offers a choice, the faster one without Redis: its
// caching is on, in memory; events, workflows and locks are in the memory of the process, which is their default.

const { defineConfig } = require('@medusajs/framework/utils');

module.exports = defineConfig({
  projectConfig: {
    databaseUrl: process.env.DATABASE_URL,
    databaseDriverOptions: { ssl: false, pool: { min: 2, max: Number(process.env.CONNECTIONS) } },
    workerMode: 'server',
    // A request of the bench has no cookie. By default each one would leave a session in memory.
    sessionOptions: { saveUninitialized: false, resave: false },
    http: {
      storeCors: 'http://127.0.0.1',
      adminCors: 'http://127.0.0.1',
      authCors: 'http://127.0.0.1',
      jwtSecret: process.env.JWT_SECRET,
      cookieSecret: process.env.COOKIE_SECRET,
    },
  },
  admin: { disable: true },
  featureFlags: { caching: true },
  modules: [{ resolve: '@medusajs/medusa/caching', options: { in_memory: { enable: true } } }],
});
