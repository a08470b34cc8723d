import { serveRequests } from '../../../src/federation/process/serve-requests';

/** Answers at once, waits, or works on and on, as it is asked. */
serveRequests(async ({ kind }: { readonly kind: 'Answer' | 'Wait' | 'Spin' }) => {
  while (kind === 'Spin') Math.random();
  if (kind === 'Wait') await new Promise((resolve) => setTimeout(resolve, 400));
  return { kind: 'Answered' };
});
