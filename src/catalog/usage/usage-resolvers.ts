import { usageDays } from '../../auth/usage-counter';
import { ApiError } from '../../errors/api-error';
import type { Catalog } from '../catalog';
import { readKeyUsage } from './usage-reader';

export const usageResolvers = {
  Shop: {
    usage: (_: unknown, { days }: { days: number }, { rows, versions }: Catalog) => {
      if (days < 1 || days > usageDays) {
        throw new ApiError('BAD_USER_INPUT', `days: expected a whole number from 1 to ${usageDays}, got ${days}.`);
      }
      // It changes without the shop's data: no answer with it is kept.
      versions.add('usage');
      return readKeyUsage(rows, days);
    },
  },
};
