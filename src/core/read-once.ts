/**
 * For schemas that are read once or a few times: code is generated for those that are read again and
 * again, which takes longer than many readings.
 */
export const readOnce = { jitless: true } as const;
