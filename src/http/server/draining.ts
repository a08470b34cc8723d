/** Whether the process is on its way out: known to readiness, to the server and to whoever stops it. */
export interface Draining {
  readonly isOn: () => boolean;
  readonly start: () => void;
}

export function createDraining(): Draining {
  let on = false;
  return {
    isOn: () => on,
    start: () => {
      on = true;
    },
  };
}
