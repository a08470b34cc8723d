/** Whether the process is shutting down; shared by readiness, the server and the shutdown itself. */
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
