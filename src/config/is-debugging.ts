/** Whether LOG_LEVEL asks for the details of errors. Other settings may be invalid: some commands do not read them. */
export const isDebugging = (): boolean => /^(?:debug|trace)$/.test(process.env['LOG_LEVEL'] ?? '');
