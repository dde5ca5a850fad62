/* A process of Tenure as shipped, which also ends when its parent process has ended for any reason. */
process.once('disconnect', () => process.exit(1));
// The listener alone must not keep the process running.
process.channel?.unref();
await import('../src/main/role.ts');
