/** An address that the process cannot listen on. The message says what is wrong and what to change. */
export class ListenError extends Error {
  override readonly name = 'ListenError';
}

interface Address {
  readonly host: string;
  readonly port: number;
}

/** Names of the settings or options that set the address. */
export interface AddressNames {
  readonly host: string;
  readonly port: string;
}

/**
 * Describes a failed `listen` in one sentence.
 * @returns the error itself when the address is not its cause
 */
export function toListenError(error: Error, { host, port }: Address, names: AddressNames): Error {
  const { code } = error as NodeJS.ErrnoException;
  const explanations: Readonly<Record<string, string>> = {
    EADDRINUSE: `Port ${port} on ${host} is already in use. Stop the program that uses it, or choose another port with ${names.port} (0 picks a free one).`,
    EACCES: `This user is not allowed to listen on port ${port}. Choose a port above 1023 with ${names.port}.`,
    EADDRNOTAVAIL: `${host} is not an address of this machine. Set ${names.host} to one that is (127.0.0.1 for local access only, 0.0.0.0 for all interfaces).`,
    ENOTFOUND: `Unknown host ${host}. Set ${names.host} to an address of this machine (127.0.0.1 for local access only, 0.0.0.0 for all interfaces).`,
  };
  const explanation = explanations[code === 'EAI_AGAIN' ? 'ENOTFOUND' : (code ?? '')];
  return explanation === undefined ? error : new ListenError(explanation, { cause: error });
}
