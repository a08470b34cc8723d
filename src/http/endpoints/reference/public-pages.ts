import { isIP } from 'node:net';
import { isUrl } from '../../../common/is-url';
import { readFileSync } from 'node:fs';
import type { Request, Router } from 'express';
import { once } from '../../../common/once';
import type { ExplorerOptions, HttpDependencies } from '../../http-dependencies';
import type { Route } from '../../routes';
import { createStrictRouter, mountRoute } from '../mount-route';
import { contentSecurityPolicy } from '../shell/render-shell';
import type { Representation } from '../../response/representation';
import {
  createPrivateRepresentation,
  createPublicRepresentation,
  createRepresentationHandler,
} from '../../response/representation';

const html = 'text/html; charset=utf-8';

/**
 * Pages, texts and files that stay the same while the process runs. Files are read at startup, so that all have the
 * same version; pages and texts are rendered on first request.
 */
interface PublicPages {
  readonly router: Router;
  mount(route: Route, choose: (request: Request) => Representation): void;
  mountText(route: Route, write: () => string, contentType: string): void;
  /** Files by name below a route that ends with `{*file}`: only these, whatever else is in their folder. */
  mountFiles(route: Route, files: readonly AssetFile[], headers?: Readonly<Record<string, string>>): void;
  /** A page with the demo key for visitors from this machine, and one without it for all others. */
  createPages(
    render: (demoKey: string | undefined) => string,
    headers?: Readonly<Record<string, string>>,
  ): (request: Request) => Representation;
}

export type AssetFile = { readonly name: string } & ({ readonly path: string } | { readonly content: string });

const contentTypes: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
  woff2: 'font/woff2',
  png: 'image/png',
};

export const pageHeaders = {
  'Content-Security-Policy': contentSecurityPolicy,
  'Referrer-Policy': 'no-referrer',
  Vary: 'Accept, Accept-Encoding',
};

export function createPublicPages({ demoApiKey }: ExplorerOptions, dependencies: HttpDependencies): PublicPages {
  const router = createStrictRouter();
  const mount: PublicPages['mount'] = (route, choose) =>
    mountRoute(router, route, [createRepresentationHandler(choose)]);
  const mountOnce = (route: Route, make: () => Representation): void => mount(route, once(make));
  return {
    router,
    mount,
    mountText: (route, write, contentType) => mountOnce(route, () => createPublicRepresentation(write(), contentType)),
    mountFiles(route, files, headers) {
      for (const { name, ...file } of files) {
        const contentType = contentTypes[name.slice(name.lastIndexOf('.') + 1)];
        if (contentType === undefined) throw new Error(`${name}: expected a style sheet, script, image or font.`);
        const content = 'content' in file ? file.content : readFileSync(file.path);
        const own = { ...route, path: route.path.replace('{*file}', encodeURI(name)) };
        mountOnce(own, () => createPublicRepresentation(content, contentType, headers));
      }
    },
    createPages(render, headers = pageHeaders) {
      const open = once(() => createPublicRepresentation(render(undefined), html, headers));
      if (demoApiKey === undefined) return open;
      const filled = once(() => createPrivateRepresentation(render(demoApiKey), html, headers));
      const bare = once(() => createPrivateRepresentation(render(undefined), html, headers));
      return (request) => (hasOwnName(request.headers.host, dependencies.publicUrl) ? filled() : bare());
    },
  };
}

/** RFC 9112 3.2: without user and password, which a URL parser would ignore. */
const hostAndPort = /^(?:\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d*)?$/i;

/** Whether a Host header names this machine or PUBLIC_URL. */
function hasOwnName(host: string | undefined, publicUrl: string | undefined): boolean {
  if (host === undefined || !hostAndPort.test(host)) return false;
  const name = hostnameOf(`http://${host}`);
  if (name === undefined) return false;
  const isAddress = isIP(name.replace(/^\[|\]$/g, '')) !== 0;
  return isAddress || name === 'localhost' || (publicUrl !== undefined && name === hostnameOf(publicUrl));
}

const hostnameOf = (url: string): string | undefined => (isUrl(url) ? new URL(url).hostname : undefined);
