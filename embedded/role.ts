/*
 * A process of Tenure as it ships, which ends when the process that has started it is gone, however that ended.
 */
process.once('disconnect', () => process.exit(1));
// Listening keeps no process alive that has nothing else to do.
process.channel?.unref();
await import('../src/main/role.ts');
