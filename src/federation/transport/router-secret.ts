/** The header with which routers identify themselves; Authorization is the client's. In lower case. */
export const routerSecretHeader = 'router-authorization';

/** The headers that open a subgraph to this router: none for subgraphs whose secret it does not have. */
export const routerHeaders = (
  name: string,
  secrets: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> => {
  const secret = Object.hasOwn(secrets, name) ? secrets[name] : undefined;
  return secret === undefined ? {} : { [routerSecretHeader]: secret };
};
