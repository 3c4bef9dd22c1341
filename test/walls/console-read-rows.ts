// The rows of the matrix for what the console reads about checkouts, money and the catalogue.

import type { IsolationFixture, Owner } from './isolation-fixture.ts';
import { checkout, completed, endpoint, offering } from './objects.ts';
import type { MatrixRow } from './operation-matrix.ts';

const checkoutInPath = (make: (fixture: IsolationFixture, owner: Owner) => Promise<string>): MatrixRow => ({
  as: 'account',
  references: { 'path id': 'checkout' },
  make: [async (fixture, owner) => ({ 'path id': await make(fixture, owner) })],
});

export const consoleReadRows: Readonly<Record<string, MatrixRow>> = {
  getConsoleHome: { as: 'account', createListed: checkout },
  // In live mode it answers the same: the newcomer's steps are of test mode.
  getFirstSteps: {},
  createTestInbox: {},
  getTestInbox: {},
  listConsoleCheckouts: {
    as: 'account',
    createListed: checkout,
    unguarded: { 'query offering': 'a filter: another venue’s id matches nothing' },
  },
  listStatements: {},
  listPaidCheckouts: { as: 'account', createListed: completed },
  listDisputes: {},
  listCatalogue: { as: 'account', createListed: async (fixture, owner) => (await offering(fixture, owner)).id },
  getCatalogueItem: {
    as: 'account',
    words: { 'path kind': 'offering' },
    references: { 'path id': 'uuid' },
    make: [async (fixture, owner) => ({ 'path id': (await offering(fixture, owner)).id })],
    unguarded: { 'path kind': 'a word of the contract' },
  },
  getCheckoutTimeline: checkoutInPath(checkout),
  previewRefund: { ...checkoutInPath(completed), body: () => ({}) },
  getCheckoutMoney: checkoutInPath(completed),
  getEndpointHealth: {
    as: 'account',
    references: { 'path id': 'endpoint' },
    make: [async (fixture, owner) => ({ 'path id': await endpoint(fixture, owner) })],
  },
};
