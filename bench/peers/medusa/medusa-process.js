// Medusa's server, as `medusa start` runs it, on PORT.

const start = require('@medusajs/medusa/commands/start').default;

process.chdir(__dirname);
start({ directory: __dirname, host: '127.0.0.1', port: Number(process.env.PORT) });
