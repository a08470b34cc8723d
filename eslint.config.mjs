import { existsSync } from 'node:fs';
import eslint from '@eslint/js';
import tseslint from 'typescript-eslint';

const environment = { object: 'process', property: 'env', message: 'Only src/config/ reads the environment.' };
const terminal = ['stdout', 'stderr'].map((property) => ({
  object: 'process',
  property,
  message: 'src/common/terminal.ts is the gate: it keeps control characters of others from the terminal.',
}));

/** What the scripts of the pages use of the browser. */
const ofBrowsers = [
  'AbortController',
  'Blob',
  'CSS',
  'Headers',
  'Image',
  'IntersectionObserver',
  'URL',
  'URLSearchParams',
  'XMLSerializer',
  'addEventListener',
  'btoa',
  'clearTimeout',
  'document',
  'fetch',
  'getComputedStyle',
  'history',
  'localStorage',
  'sessionStorage',
  'MutationObserver',
  'location',
  'matchMedia',
  'navigator',
  'performance',
  'setTimeout',
];

export default tseslint.config(
  {
    ignores: [
      '**/dist/',
      'node_modules/',
      '.data/',
      'coverage/',
      'src/database/generated/',
      'src/http/vendor/',
      // Not without what they import.
      ...(existsSync('test/clients/large/node_modules') ? [] : ['test/clients/large/']),
      'src/catalog/schema-*.ts',
      'rest/operations/generated.ts',
      'client/src/openapi.ts',
    ],
  },
  eslint.configs.recommended,
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/ban-ts-comment': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      'no-restricted-properties': ['error', environment, ...terminal],
      'no-restricted-syntax': [
        'error',
        { selector: 'ExportDefaultDeclaration', message: 'Named exports only: a thing has one name everywhere.' },
        {
          selector: 'MemberExpression[object.name="URL"][property.name="canParse"]',
          message: 'Use isUrl (src/common/is-url.ts): canParse of Node 20 refuses letters such as ü after many calls.',
        },
        {
          selector: 'AssignmentExpression[left.type="MemberExpression"][right.type=/^(Arrow)?FunctionExpression$/]',
          message:
            'Name the function first: behind a property’s `=` V8 allocates it among the old objects (decision 102).',
        },
      ],
      // Objects here are closures: their functions use no `this`.
      '@typescript-eslint/unbound-method': 'off',
      'no-console': 'error',
    },
  },
  {
    // The gate itself; and what passes the whole stream on, with texts of its own or through the gate.
    files: ['src/common/terminal.ts', 'src/cli/{main,run-cli,progress-bar}.ts', 'src/cli/commands/export.ts'],
    rules: { 'no-restricted-properties': ['error', environment] },
  },
  {
    files: ['src/config/{config,start-directory}.ts', '*.config.ts', '{test,bench}/**/*.ts'],
    rules: { 'no-restricted-properties': 'off', 'no-restricted-syntax': 'off', 'no-console': 'off' },
  },
  {
    files: ['{test,bench}/**/*.ts'],
    ignores: ['test/support/properties.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        { name: 'fast-check', message: 'Import it from test/support/properties.ts, which sets the seed.' },
      ],
    },
  },
  {
    files: ['src/http/endpoints/*/assets/*.js'],
    languageOptions: {
      globals: { ...Object.fromEntries(ofBrowsers.map((name) => [name, 'readonly'])), module: 'writable' },
    },
  },
  {
    files: ['**/*.mjs', '**/*.cjs'],
    languageOptions: {
      globals: {
        process: 'readonly',
        console: 'readonly',
        URL: 'readonly',
        Buffer: 'readonly',
        __dirname: 'readonly',
        clearTimeout: 'readonly',
        setTimeout: 'readonly',
        setInterval: 'readonly',
        clearInterval: 'readonly',
        module: 'writable',
        require: 'readonly',
      },
    },
  },
);
