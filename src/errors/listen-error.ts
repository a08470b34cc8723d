/** An address that the process cannot listen on. The message says what is wrong and what to change. */
export class ListenError extends Error {
  override readonly name = 'ListenError';
}

interface Address {
  readonly host: string;
  readonly port: number;
}

/** What to change for another address: names of settings, or of options. */
interface AddressNames {
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
    EADDRINUSE: `Port ${port} on ${host} is taken by another program: stop that program, or choose another port with ${names.port} (0 picks a free one).`,
    EACCES: `This user may not listen on port ${port}: choose a port above 1023 with ${names.port}.`,
    EADDRNOTAVAIL: `The address ${host} does not belong to this machine: choose one that does with ${names.host} (127.0.0.1 for this machine only, 0.0.0.0 for all its addresses).`,
    ENOTFOUND: `The host ${host} is unknown: give ${names.host} an address of this machine (127.0.0.1 for this machine only, 0.0.0.0 for all its addresses).`,
  };
  const explanation = explanations[code === 'EAI_AGAIN' ? 'ENOTFOUND' : (code ?? '')];
  return explanation === undefined ? error : new ListenError(explanation, { cause: error });
}
