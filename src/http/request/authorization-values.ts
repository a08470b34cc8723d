import type { Request } from 'express';

/** Returns every Authorization header as it was sent: of several, node:http silently keeps the first (D16). */
export function authorizationValues({ rawHeaders }: Request): string[] {
  const values: string[] = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string;
    if (name.length === 13 && name.toLowerCase() === 'authorization') values.push(rawHeaders[index + 1] as string);
  }
  return values;
}
