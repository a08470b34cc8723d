import { serveRequests } from '../../../src/common/serve-requests';

/** Responds immediately, waits, or runs forever, as requested. */
serveRequests(async ({ kind }: { readonly kind: 'Answer' | 'Wait' | 'Spin' }) => {
  while (kind === 'Spin') Math.random();
  if (kind === 'Wait') await new Promise((resolve) => setTimeout(resolve, 400));
  return { kind: 'Answered' };
});
