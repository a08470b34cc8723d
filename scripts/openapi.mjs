// `npm run openapi`: checks rest/openapi.yaml by the rules that Redocly recommends.
import { createConfig, formatProblems, getTotals, lint } from '@redocly/openapi-core';

const rules = {
  // The license of the program says nothing about the terms of the API.
  'info-license': 'off',
};
const problems = await lint({
  ref: 'rest/openapi.yaml',
  config: await createConfig({ extends: ['recommended'], rules }),
});
const totals = getTotals(problems);
formatProblems(problems, { format: 'codeframe', totals, version: '' });
console.log(`rest/openapi.yaml: errors: ${totals.errors}, warnings: ${totals.warnings}`);
process.exit(totals.errors > 0 ? 1 : 0);
