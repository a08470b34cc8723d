import { pathPrefixOf } from '../../../common/public-url';
import { errorExplanations } from '../../../errors/error-explanations';
import { routes } from '../../routes';
import {
  printJson,
  icons,
  renderTab,
  escapeHtml,
  assetsPath,
  renderPage,
  type ShellFacts,
} from '../shell/render-shell';
import type { OpenApiSchema } from './openapi';
import type { OperationReference, ParameterReference } from './operation-reference';
import type { ReferenceText, Section } from './reference-text';
import { callOf, writeCall } from './example-call';
import { renderCode, renderInline, renderMarkdown, renderPre, renderSteps } from './render-markdown';

/** The names of the tabs, and how their code is colored. */
const tabs = [
  ['curl', 'curl', 'sh'],
  ['fetch', 'fetch', 'js'],
  ['client', 'client', 'ts'],
  ['python', 'Python', 'python'],
  ['php', 'PHP', 'php'],
] as const;

/** `listProducts` → `List products`. */
const toWords = (operationId: string): string => {
  const words = operationId.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
};

const titleOf = ({ title, operation }: Section): string => (operation ? toWords(operation.operationId) : title);

/** The reference, with a console for each operation. */
export function renderReferencePage(text: ReferenceText, facts: ShellFacts, demoKey: string | undefined): string {
  const prefix = pathPrefixOf(text.publicUrl);
  return renderPage(facts, {
    title: `Reference · ${text.title}`,
    description: `Every operation of the ${text.title} with its parameters, response and GraphQL equivalent. Guides and errors.`,
    current: routes.reference.path,
    files: [`${assetsPath}/reference.css`, `${assetsPath}/snippets.js`, `${assetsPath}/console.js`],
    navigation: renderSide(text, prefix),
    main: `<h1 class="sr">${escapeHtml(text.title)} reference</h1>
${text.sections.map((section) => renderSection(section, text)).join('\n')}`,
    demoKey,
  });
}

function renderSide({ sections }: ReferenceText, prefix: string): string {
  const groups = (['Start', 'Operations', 'Guides', 'Reference'] as const).map((group) => {
    const items = sections
      .filter((section) => section.group === group)
      .map((section) => {
        const badge = section.operation === undefined ? '' : '<span class="get">GET</span>';
        return `<li><a href="#${section.id}">${escapeHtml(titleOf(section))}${badge}</a></li>`;
      });
    const also = group === 'Reference' ? `<li><a href="${prefix}${routes.changelog.path}">Changelog</a></li>` : '';
    return `<h2>${group}</h2><ul>${items.join('')}${also}</ul>`;
  });
  return `<nav class="side" aria-label="Sections">${groups.join('\n')}</nav>`;
}

const frame = (section: Section, under: string, parts: { beside?: string; text: string }): string =>
  `<article class="op${parts.beside === undefined ? ' guide' : ''}" id="${section.id}" ${section.operation ? `data-group="REST" data-kind="GET ${section.operation.path}` : `data-group="Guides" data-kind="${section.group.toLowerCase()}`}" aria-labelledby="${section.id}-title">
<div class="intro"><p class="crumb">${section.group}</p>
<h2 id="${section.id}-title">${escapeHtml(titleOf(section))}</h2>
${under}</div>
${parts.beside === undefined ? '' : `<div class="beside"><div class="stick">${parts.beside}</div></div>\n`}<div class="text">${parts.text}</div>
</article>`; // prettier-ignore

function renderSection(section: Section, text: ReferenceText): string {
  if (section.operation !== undefined) return renderOperation(section, section.operation, text);
  if (section.id === 'errors') return renderErrors(section);
  const steps = renderSteps(section.markdown);
  const isFolded = section.group !== 'Start';
  return frame(section, '', {
    text: isFolded ? `<details class="fold part whole"><summary>${icons.right}Read this section</summary>${steps}</details>` : steps,
  }); // prettier-ignore
}

function renderOperation(section: Section, operation: OperationReference, text: ReferenceText): string {
  const { operationId: id, path, scope, description, parameters, responses, answer } = operation;
  const members = Object.entries(answer.properties ?? {});
  const prefix = pathPrefixOf(text.publicUrl);
  const headers = parameters.filter((each) => each.in === 'header');
  const others = parameters.filter((each) => each.in !== 'header');
  const under = `<p class="path"><span class="get">GET</span><code>${prefix}${path}</code>${path.includes('{') ? '' : `<button type="button" class="icon" data-copy="${escapeHtml(text.publicUrl)}${path}" aria-label="Copy the URL" title="Copy the URL">${icons.copy}</button>`}<a class="chip" href="#credentials" title="Required scope">${scope}</a></p>
<div class="lead">${renderMarkdown(description.trim())}</div>`;
  const rows = (all: readonly ParameterReference[]): string => `<ul class="rows">${all.map((each) => renderParameter(id, each)).join('')}</ul>`;
  const body = `${others.length === 0 ? '' : renderPart('Parameters', others.length, rows(others))}
${renderPart('Response', members.length, renderMembers(`${id}.answer`, members))}
${renderPart('Request headers', headers.length, rows(headers))}
${renderPart('Status codes', Object.keys(responses).length, `<dl class="codes">${Object.entries(responses).map(([status, { description: meaning }]) => `<div><dt class="s${status.charAt(0)}">${status}</dt><dd>${renderInline(meaning)}</dd></div>`).join('')}</dl>`)}`;
  return frame(section, under, { beside: renderConsole(operation, text), text: body });
} // prettier-ignore

/** A part of a section, folded where the window is narrow. */
const renderPart = (title: string, count: number, content: string): string =>
  `<details class="fold part"><summary>${icons.right}<h3>${title}</h3><span>${count}</span></summary>${content}</details>`;

function renderParameter(
  operationId: string,
  { name, description, type, required, words }: ParameterReference,
): string {
  const [kind = '', ...more] = words === undefined ? type.split(', ') : ['enum'];
  const also = [...(required ? ['required'] : []), ...more].join(', ');
  return renderRow(
    `${operationId}.${name}`,
    { description, words },
    kind,
    also && `<span class="more-type">${also}</span>`,
  );
}

type Members = readonly (readonly [name: string, schema: OpenApiSchema])[];

const renderMembers = (parent: string, members: Members): string =>
  `<ul class="rows">${members.map(([name, schema]) => renderMember(`${parent}.${name}`, name, schema)).join('')}</ul>`;

function renderMember(id: string, name: string, schema: OpenApiSchema): string {
  const { items, format, enum: words, description = '' } = schema;
  const types = [schema.type].flat();
  const type = format ?? types.filter((each) => each !== 'null').join(' or ');
  const listed = items && `${items.refName ?? [items.type].flat().join('')}[]`;
  const members = Object.entries((items ?? schema).properties ?? {});
  const inner =
    members.length === 0
      ? ''
      : `<details class="fold child"><summary>${icons.right}Fields of ${name} <span>${members.length}</span></summary>${renderMembers(id, members)}</details>`;
  const isNullable = types.includes('null');
  return renderRow(
    id,
    { description, words },
    words ? 'enum' : (listed ?? type),
    isNullable ? '<span class="null">or null</span>' : '',
    inner,
  );
}

function renderRow(id: string, { description, words = [] }: { description: string; words: readonly string[] | undefined }, type: string, more: string, inner = ''): string {
  const path = id.split('.');
  const values = words.map((word) => `<code>${escapeHtml(word)}</code>`).join(' ');
  return `<li class="row" id="${id}" data-group="REST" data-kind="${path[1] === 'answer' ? 'response' : 'parameter'} of ${path[0]}"><div class="row-head"><a class="name" href="#${id}">${path.at(-1)}</a><span class="type">${escapeHtml(type)}</span>${more}</div><p>${renderInline(description)}</p>${values && `<p class="values">${values}</p>`}${inner}</li>`;
} // prettier-ignore

function renderErrors(section: Section): string {
  const [lead = '', ...others] = section.markdown.split('\n\n');
  const sample = { code: 'BAD_USER_INPUT', message: 'limit: expected an integer from 1 to 200, got "500".' };
  const beside = [
    renderCode(printJson({ error: sample }), 'json', '', 'REST'),
    renderCode(printJson({ data: { orders: null }, errors: [{ message: 'Required scopes: orders:read. Granted scopes: catalog:read.', path: ['orders'], extensions: { code: 'FORBIDDEN' } }] }), 'json', '', 'GraphQL'),
  ].join(''); // prettier-ignore
  return frame(section, `<div class="lead">${renderMarkdown(lead)}</div>`, {
    beside,
    text: renderPart(
      'Error codes',
      Object.keys(errorExplanations).length,
      `<div class="md">${renderMarkdown(others.join('\n\n'))}</div>`,
    ),
  });
}

const tabList = (label: string, all: readonly (readonly [id: string, name: string, attributes: string])[]): string =>
  `<div class="tabs" role="tablist" aria-label="${label}">${all
    .map(([id, name, attributes], at) => renderTab(id, name, at, ` id="${id}-tab"${attributes}`))
    .join('')}</div>`;

const panel = (id: string, at: number, content: string): string =>
  `<div role="tabpanel" id="${id}" aria-labelledby="${id}-tab"${at === 0 ? '' : ' hidden'}>${content}</div>`;

const copyCode = (name: string): string =>
  `<button type="button" class="icon" data-copy aria-label="Copy ${name}" title="Copy">${icons.copy}</button>`;

/** The call and its GraphQL equivalent, both filled from the same form, and the responses. */
function renderConsole(operation: OperationReference, { publicUrl }: ReferenceText): string {
  const { operationId: id, path, parameters, document, variables, exampleVariables, exampleResponse } = operation;
  const call = callOf(operation, publicUrl);
  const languages = tabs.map(([language, name, colors], at) => ({
    tab: [`${id}-${language}`, name, ` data-language="${language}"`] as const,
    panel: panel(`${id}-${language}`, at, renderPre(writeCall(language, call), colors, ` data-snippet="${language}" data-colors="${colors}"`)),
  })); // prettier-ignore
  const twin = `${id}-graphql`;
  const fields = parameters.map((each) => renderField(id, each)).join('\n');
  return `<form class="console" data-operation="${id}"${path.includes('{') ? ' data-list="products"' : ''} data-path="${pathPrefixOf(publicUrl)}${path}" data-client="${call.clientCall}" data-variables="${escapeHtml(JSON.stringify(variables))}" aria-label="Try ${id}">
<div class="code"><div class="code-head">${tabList(`Languages of ${id}`, [...languages.map(({ tab }) => tab), [twin, 'GraphQL', ' data-language="graphql"']])}${copyCode('as curl')}<button type="submit" class="send">${icons.play}Send</button></div>
${languages.map((each) => each.panel).join('\n')}
${panel(twin, 1, `${renderPre(document, 'graphql', ' data-document')}${renderPre(printJson(exampleVariables), 'json', ' class="variables" data-graphql-variables')}`)}
<details class="fold asks"><summary>${icons.right}Parameters of this request</summary><div class="fields">${fields}</div></details>
</div>
<div class="code answer"><div class="code-head">${tabList(`Responses of ${id}`, [
    [`${id}-answer`, 'Response', ''],
    [`${id}-answer-graphql`, 'GraphQL', ''],
    [`${id}-headers`, 'Headers', ''],
  ])}<span class="ok" data-state>sample</span>${copyCode('the response')}</div>
${panel(`${id}-answer`, 0, renderPre(printJson(exampleResponse), 'json', ' data-rest-response'))}
${panel(`${id}-answer-graphql`, 1, renderPre('Send the request to see the GraphQL response.', '', ' data-graphql-response'))}
${panel(`${id}-headers`, 2, renderPre('Send the request to see the response headers.', '', ' data-headers'))}
<div class="code-foot"><span class="eqs" role="status" data-comparison>A sample. Send the request to get a real response.</span></div>
</div>
</form>`;
}

function renderField(operationId: string, parameter: ParameterReference): string {
  const { name, words, example, parameter: ours, in: location } = parameter;
  const attributes = [
    `name="${name}" aria-label="${name}"`,
    `data-in="${location}"`,
    ...(ours === undefined ? [] : [`data-target="${ours.fills.join('.')}"`, `data-type="${ours.rule.type}"`]),
  ].join(' ');
  const id = `${operationId}-${name}`;
  // Example values of headers are for one response only.
  const value = location === 'header' ? '' : (example ?? '');
  const control =
    words === undefined
      ? `<input id="${id}" ${attributes} value="${escapeHtml(value)}" autocomplete="off" spellcheck="false">`
      : `<select id="${id}" ${attributes}><option value=""></option>${words
          .map((word) => `<option${word === value ? ' selected' : ''}>${word}</option>`)
          .join('')}</select>`;
  return `<div><label for="${id}">${name}</label>${control}</div>`;
}
