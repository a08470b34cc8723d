import type { Server } from 'node:http';
import type { AddressNames } from '../../errors/listen-error';
import { toListenError } from '../../errors/listen-error';

/** @throws ListenError */
export const listen = (
  server: Server,
  port: number,
  host: string,
  names: AddressNames = { host: 'HOST', port: 'PORT' },
): Promise<void> =>
  new Promise((resolve, reject) => {
    const fail = (error: Error): void => reject(toListenError(error, { host, port }, names));
    server.once('error', fail).listen(port, host, () => {
      server.off('error', fail);
      resolve();
    });
  });
