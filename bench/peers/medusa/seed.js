// Run by `medusa exec`: a sales channel with a publishable key, a region, and a product with one price. Writes what the
// bench needs to the file RESULT.

const { writeFileSync } = require('node:fs');
const {
  createApiKeysWorkflow,
  createProductsWorkflow,
  createRegionsWorkflow,
  createSalesChannelsWorkflow,
  linkSalesChannelsToApiKeyWorkflow,
} = require('@medusajs/medusa/core-flows');

exports.default = async ({ container }) => {
  const run = async (workflow, input) => (await workflow(container).run({ input })).result;
  const [channel] = await run(createSalesChannelsWorkflow, { salesChannelsData: [{ name: 'Harbor Club' }] });
  const [key] = await run(createApiKeysWorkflow, {
    api_keys: [{ title: 'bench', type: 'publishable', created_by: '' }],
  });
  await run(linkSalesChannelsToApiKeyWorkflow, { id: key.id, add: [channel.id] });
  // With one country, each cart would get an address and taxes, which a checkout does not have.
  const [region] = await run(createRegionsWorkflow, {
    regions: [{ name: 'North America', currency_code: 'usd', countries: ['us', 'ca'] }],
  });
  const [product] = await run(createProductsWorkflow, {
    products: [
      {
        title: 'Cabana 3, Saturday 12 June',
        status: 'published',
        options: [{ title: 'Day', values: ['Saturday'] }],
        variants: [
          {
            title: 'Saturday',
            manage_inventory: false,
            options: { Day: 'Saturday' },
            prices: [{ amount: 480, currency_code: 'usd' }],
          },
        ],
        sales_channels: [{ id: channel.id }],
      },
    ],
  });
  const result = { key: key.token, regionId: region.id, variantId: product.variants[0].id };
  writeFileSync(process.env.RESULT, JSON.stringify(result));
};
