import { Router } from 'express';

/** A router that takes paths literally, as the application does: routers do not inherit these settings. */
export const createStrictRouter = (): Router => Router({ caseSensitive: true, strict: true });
