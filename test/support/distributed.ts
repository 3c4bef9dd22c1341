// Whether the tests run on a Citus cluster (`npm run citus`). A few look into the one PostgreSQL of the other runs: at the
// locks for which its sessions wait, at its plans, or through functions that only its session has. They run there alone.

export const isDistributed = process.env.CITUS !== undefined;
