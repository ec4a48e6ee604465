/** How many timers keep the process alive. */
export const activeTimers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
