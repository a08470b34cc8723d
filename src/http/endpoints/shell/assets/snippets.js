// One call in every language of the reference: for the page rendered by the server and for the console. Neither imports
// nor exports.
(function (share) {
  const quoted = (text) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
  const isPlain = (text) => /^[\w.-]+$/.test(text);
  const shell = (text) => `'${text.replaceAll("'", String.raw`'\''`)}'`;

  /**
   * @param call.address URL of the operation, without its query
   * @param call.query pairs of names and values
   * @param call.headers pairs, without the credential
   * @param call.clientCall method of the typed client, such as `products.list`; its argument is the query or the id
   */
  const languages = {
    curl({ address, query, headers }) {
      const lines = [
        `curl ${query.length > 0 ? '-G ' : ''}"${address}"`,
        '-H "Authorization: Bearer $KEY"',
        ...headers.map(([name, value]) => `-H ${shell(`${name}: ${value}`)}`),
        ...query.map(([name, value]) => (isPlain(value) ? `-d ${name}=${value}` : `--data-urlencode ${shell(`${name}=${value}`)}`)),
      ]; // prettier-ignore
      return lines.join(' \\\n  ');
    },
    fetch({ address, query, headers }) {
      const set = query.map(([name, value]) => `url.searchParams.set(${quoted(name)}, ${quoted(value)});\n`).join('');
      const others = headers.map(([name, value]) => `, ${quoted(name)}: ${quoted(value)}`).join('');
      return `const url = new URL(${inJavaScript(address)});
${set}const response = await fetch(url, {
  headers: { Authorization: \`Bearer \${process.env.KEY}\`${others} },
});
console.log(await response.json());`;
    },
    client({ origin, query, id, clientCall }) {
      const [group, method] = clientCall.split('.');
      const isPlain = /^(?:limit [1-9]\d*|published (?:true|false))$/;
      const members = query.map(([name, value]) => `${name === 'cursor' ? 'resumeFrom' : name}: ${isPlain.test(`${name} ${value}`) ? value : quoted(value)}`); // prettier-ignore
      const options = members.length === 0 ? '' : `{ ${members.join(', ')} }`;
      const use =
        method === 'list'
          ? `for await (const one of client.${group}.list(${options})) {\n  console.log(one);\n}`
          : `console.log(await client.${clientCall}(${id === undefined ? '' : inJavaScript(id)}));`;
      return `import { createCatalogClient } from 'catalog-read-api-client';

const client = createCatalogClient({
  origin: '${origin}',
  credentials: { apiKey: process.env.KEY },
});
${use}`;
    },
    python({ address, query, headers }) {
      const members = query.map(([name, value]) => `${quoted(name)}: ${quoted(value)}`).join(', ');
      const others = headers.map(([name, value]) => `, ${quoted(name)}: ${quoted(value)}`).join('');
      return `import json, os
from urllib.parse import urlencode
from urllib.request import Request, urlopen

query = urlencode({${members}})
request = Request(${inPython(address)} + '?' + query, headers={
    'Authorization': 'Bearer ' + os.environ['KEY']${others},
})
print(json.load(urlopen(request)))`;
    },
    php({ address, query, headers }) {
      const members = query.map(([name, value]) => `${quoted(name)} => ${quoted(value)}`).join(', ');
      const others = headers.map(([name, value]) => `, ${quoted(`${name}: ${value}`)}`).join('');
      return `<?php
$query = http_build_query([${members}]);
$context = stream_context_create(['http' => [
    'header' => ['Authorization: Bearer ' . getenv('KEY')${others}],
]]);
echo file_get_contents(${inPhp(address)} . '?' . $query, false, $context);`;
    },
  };

  /** An unknown id is an environment variable: `$PRODUCT_ID`. */
  const withVariable = (text, sign, read) =>
    quoted(text)
      .replace(/\$([A-Z_]+)/, (_, name) => `' ${sign} ${read(name)} ${sign} '`)
      .replace(` ${sign} ''`, '')
      .replace(`'' ${sign} `, '');
  const inJavaScript = (text) => withVariable(text, '+', (name) => `process.env.${name}`);
  const inPython = (text) => withVariable(text, '+', (name) => `os.environ['${name}']`);
  const inPhp = (text) => withVariable(text, '.', (name) => `getenv('${name}')`);

  share({ write: (language, call) => languages[language](call) });
})((snippets) => {
  if (typeof module === 'object') module.exports = snippets;
  else globalThis.snippets = snippets;
});
