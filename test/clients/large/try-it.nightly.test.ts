import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname } from 'node:path';
import express from 'express';
import type { Browser, Response } from 'playwright-core';
import { chromium } from 'playwright-core';
import { startApp } from '../../support/app';
import { exchange } from '../../support/rest-client';
import type { DemoService } from '../../support/demo-service';
import { startDemoService } from '../../support/demo-service';

interface Schema {
  readonly default?: unknown;
  readonly example?: unknown;
  readonly examples?: readonly unknown[];
  readonly enum?: readonly unknown[];
  readonly $ref?: string;
}

interface Parameter {
  readonly name: string;
  readonly in: 'query' | 'path' | 'header';
  readonly required: boolean;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
  readonly schema: Schema;
}

interface Document {
  readonly servers: readonly { readonly url: string; readonly description: string }[];
  readonly paths: Readonly<
    Record<string, { readonly get: { readonly operationId: string; readonly parameters: readonly { $ref: string }[] } }>
  >;
}

let service: DemoService;
let document: Document;
beforeAll(async () => {
  service = await startDemoService();
  document = (await exchange(service.publicUrl, '/v1/openapi.json', {})).body as Document;
});
afterAll(() => service.close());

interface Page {
  readonly data: readonly { readonly id: string }[];
}

const authorization = () => ({ Authorization: `Bearer ${service.apiKey}` });

const resolve = <Target>(target: { readonly $ref?: string }): Target =>
  (target.$ref === undefined
    ? target
    : target.$ref
        .slice(2)
        .split('/')
        .reduce<unknown>((node, step) => (node as Record<string, unknown>)[step], document)) as Target;

/**
 * Everything that a tool may fill in before anyone types. Swagger UI takes the first of example, examples,
 * schema.example and schema.default. Scalar also knows schema.examples and the first value of an enum. Others take
 * whatever they find.
 */
function findPrefilled({ example, examples = {}, required, schema: given }: Parameter): readonly unknown[] {
  const schema = resolve<Schema>(given);
  const found = [
    example,
    ...Object.values(examples).map(({ value }) => value),
    schema.example,
    ...(schema.examples ?? []),
    schema.default,
    ...(required ? (schema.enum?.slice(0, 1) ?? []) : []),
  ];
  return found.filter((value) => value !== undefined);
}

const combine = (choices: readonly (readonly [Parameter, readonly unknown[]])[]): [Parameter, unknown][][] =>
  choices.reduce<[Parameter, unknown][][]>(
    (sets, [parameter, values]) =>
      values.length === 0
        ? sets
        : sets.flatMap((set) => values.map((value): [Parameter, unknown][] => [...set, [parameter, value]])),
    [[]],
  );

it.each(['getShop', 'listProducts', 'getProduct', 'listCollections', 'listOrders'])(
  '%s returns 200 with data for anything that the document lets a tool fill in',
  async (operationId) => {
    const [path = '', item] =
      Object.entries(document.paths).find(([, { get }]) => get.operationId === operationId) ?? [];
    const parameters = (item?.get.parameters ?? []).map((given) => resolve<Parameter>(given));
    const sets = combine(parameters.map((parameter) => [parameter, findPrefilled(parameter)]));
    expect(parameters.filter(({ required }) => required).filter((each) => findPrefilled(each).length === 0)).toEqual(
      [],
    );
    for (const set of sets) {
      const values = (place: string) => set.filter(([parameter]) => parameter.in === place);
      const query = new URLSearchParams(
        values('query').map(([{ name }, value]): [string, string] => [name, String(value)]),
      );
      const filled = values('path').reduce((text, [{ name }, value]) => text.replace(`{${name}}`, String(value)), path);
      const headers = Object.fromEntries(values('header').map(([{ name }, value]) => [name, String(value)]));
      const answer = await exchange(service.publicUrl, `/v1${filled}?${query.toString()}`, {
        headers: { ...authorization(), ...headers },
      });
      expect(answer.status).toBe(200);
      const { data } = answer.body as { data: unknown };
      if (Array.isArray(data)) expect(data.length).toBeGreaterThan(0);
    }
  },
);

it.each([
  ['development', 'Development'],
  ['test', 'Test'],
  ['production', 'Production'],
])('with NODE_ENV=%s the document names this installation, as %s', async (mode, description) => {
  const url = 'https://catalog.example.com';
  const { app, origin } = await startApp({ database: service.database }, { NODE_ENV: mode, PUBLIC_URL: url });
  const { body, text } = await exchange(origin, '/v1/openapi.json', {});
  await app.close(0);
  expect((body as Document).servers).toEqual([{ url: `${url}/v1`, description }]);
  expect(text).not.toContain('localhost');
  expect(text).not.toContain('api.catalog.example');
  expect(text).toContain(`"tokenUrl":"${url}/oauth/token"`);
});

const executablePath = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium';
const isInstalled = existsSync(executablePath);
if (!isInstalled)
  console.warn(`Swagger UI not tried: no Chromium at ${executablePath}; CHROMIUM_PATH may name another.`);

(isInstalled ? describe : describe.skip)('Swagger UI, on another origin', () => {
  const pages = createServer(
    express()
      .use('/swagger', express.static(dirname(require.resolve('swagger-ui-dist/package.json'))))
      .get('/', (_request, response) => {
        response.type('html')
          .send(`<!doctype html><div id="ui"></div><script src="/swagger/swagger-ui-bundle.js"></script><script>
          window.ui = SwaggerUIBundle({ ...${JSON.stringify(options())},
            onComplete: () => window.ui.preauthorizeApiKey('apiKey', ${JSON.stringify(service.apiKey)}) })</script>`);
      }),
  );
  /** All operations expanded and ready to try, without slow decoration. */
  const options = () => ({
    url: `${service.publicUrl}/v1/openapi.json`,
    dom_id: '#ui',
    tryItOutEnabled: true,
    docExpansion: 'full',
    syntaxHighlight: { activated: false },
    defaultModelsExpandDepth: -1,
    defaultModelExpandDepth: 0,
  });
  let browser: Browser;
  beforeAll(async () => {
    await new Promise<void>((listening) => pages.listen(0, '127.0.0.1', listening));
    browser = await chromium.launch({ executablePath, args: ['--headless', '--no-sandbox', '--disable-gpu'] });
  });
  afterAll(async () => {
    await browser.close();
    pages.closeAllConnections();
    pages.close();
  });

  it('"Execute" of every operation, as prefilled, returns 200', async () => {
    const page = await browser.newPage();
    page.setDefaultTimeout(0);
    const answers: [string, number][] = [];
    const isAnswer = (response: Response) =>
      /^\/v1\/(?!openapi)/.test(new URL(response.url()).pathname) && response.request().method() === 'GET';
    page.on('response', (response) => {
      const { pathname, search } = new URL(response.url());
      if (isAnswer(response)) answers.push([pathname + search, response.status()]);
    });
    await page.goto(`http://127.0.0.1:${(pages.address() as AddressInfo).port}/`);
    await page.locator('.execute').nth(4).waitFor();
    // All at once: a click by coordinates would wait five times for the page to stop moving.
    await page.evaluate(`document.querySelectorAll('.execute').forEach((button) => button.click())`);
    while (answers.length < 5) await page.waitForResponse(isAnswer);
    const { data } = (await exchange(service.publicUrl, '/v1/products?limit=1', { headers: authorization() }))
      .body as Page;
    expect(answers.sort()).toEqual([
      ['/v1/collections?published=true&limit=50', 200],
      ['/v1/orders?financial_status=PAID&fulfillment_status=FULFILLED&limit=50', 200],
      [`/v1/products/${data[0]?.id}`, 200],
      ['/v1/products?q=mug&status=ACTIVE&limit=50', 200],
      ['/v1/shop', 200],
    ]);
  }, 300_000);
});
