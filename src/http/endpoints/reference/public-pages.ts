import { readFileSync } from 'node:fs';
import type { Request, Router } from 'express';
import type { HttpDependencies } from '../../http-dependencies';
import type { Route } from '../../routes';
import { hasOwnName } from '../explorer/explorer-options';
import { createStrictRouter, mountRoute } from '../mount-route';
import type { ReferenceOptions } from './reference-options';
import { contentSecurityPolicy } from './render-pages';
import type { Representation } from './representation';
import { createPrivateRepresentation, createPublicRepresentation, createRepresentationHandler } from './representation';

const html = 'text/html; charset=utf-8';

/** Pages, texts and files that stay the same while the process runs: made at the start and kept. */
export interface PublicPages {
  readonly router: Router;
  mount(route: Route, choose: (request: Request) => Representation): void;
  mountText(route: Route, content: string, contentType: string): void;
  /** Files by name below a route that ends with `{*file}`: those alone, whatever else is in their folder. */
  mountFiles(route: Route, files: readonly AssetFile[]): void;
  /** A page with the demo key for people of this machine, and one without it for all others. */
  createPages(render: (demoKey: string | undefined) => string): (request: Request) => Representation;
}

export interface AssetFile {
  readonly name: string;
  readonly path: string;
}

const contentTypes: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
};

export const pageHeaders = {
  'Content-Security-Policy': contentSecurityPolicy,
  'Referrer-Policy': 'no-referrer',
  Vary: 'Accept, Accept-Encoding',
};

export function createPublicPages({ demoApiKey }: ReferenceOptions, dependencies: HttpDependencies): PublicPages {
  const router = createStrictRouter();
  const mount: PublicPages['mount'] = (route, choose) =>
    mountRoute(router, route, dependencies, [createRepresentationHandler(choose)]);
  const mountText: PublicPages['mountText'] = (route, content, contentType) => {
    const representation = createPublicRepresentation(content, contentType);
    mount(route, () => representation);
  };
  return {
    router,
    mount,
    mountText,
    mountFiles(route, files) {
      for (const { name, path } of files) {
        const contentType = contentTypes[name.slice(name.lastIndexOf('.') + 1)];
        if (contentType === undefined) throw new Error(`${name}: expected the name of a style sheet or a script.`);
        mountText({ ...route, path: route.path.replace('{*file}', name) }, readFileSync(path, 'utf8'), contentType);
      }
    },
    createPages(render) {
      const open = createPublicRepresentation(render(undefined), html, pageHeaders);
      if (demoApiKey === undefined) return () => open;
      const filled = createPrivateRepresentation(render(demoApiKey), html, pageHeaders);
      const bare: Representation = { body: open.body, headers: { ...open.headers, 'Cache-Control': 'no-store' } };
      return (request) => (hasOwnName(request.headers.host, dependencies.publicUrl) ? filled : bare);
    },
  };
}
