import { existsSync } from 'node:fs';
import eslint from '@eslint/js';
import tseslint from 'typescript-eslint';

const environment = { object: 'process', property: 'env', message: 'Only src/config/ reads the environment.' };
const terminal = ['stdout', 'stderr'].map((property) => ({
  object: 'process',
  property,
  message: 'Write through src/common/terminal.ts, which removes control characters.',
}));

/** The browser globals that scripts of pages use. */
const browserGlobals = [
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
      // Linted only if its dependencies are installed.
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
        {
          selector: 'ExportDefaultDeclaration',
          message: 'Use named exports only, so that everything has one name everywhere.',
        },
        {
          selector: 'MemberExpression[object.name="URL"][property.name="canParse"]',
          message: 'Use isUrl (src/common/is-url.ts): canParse of Node 20 rejects letters such as ü after many calls.',
        },
        {
          selector: 'AssignmentExpression[left.type="MemberExpression"][right.type=/^(Arrow)?FunctionExpression$/]',
          message:
            'Name the function first: V8 allocates a function assigned to a property among old objects (decision 102).',
        },
      ],
      // Objects here are closures; their functions do not use `this`.
      '@typescript-eslint/unbound-method': 'off',
      'no-console': 'error',
    },
  },
  {
    // The module itself, and code that passes the stream on or writes only its own texts.
    files: [
      'src/common/terminal.ts',
      'src/main.ts',
      'src/cli/{main,run-cli,progress-bar}.ts',
      'src/cli/commands/export.ts',
    ],
    rules: { 'no-restricted-properties': ['error', environment] },
  },
  {
    files: ['src/config/{config,is-debugging,start-directory}.ts', '*.config.ts', '{test,bench}/**/*.ts'],
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
      globals: { ...Object.fromEntries(browserGlobals.map((name) => [name, 'readonly'])), module: 'writable' },
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
