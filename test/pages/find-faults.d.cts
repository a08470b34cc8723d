declare function findFaults(options: { readonly focuses: boolean }): string[];
export = findFaults;
