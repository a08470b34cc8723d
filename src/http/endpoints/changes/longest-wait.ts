/** In seconds: below the minute after which proxies give up. */
export const longestWaitSeconds = 55;
