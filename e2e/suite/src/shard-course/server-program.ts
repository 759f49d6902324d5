import { createTestEnvironment } from '@keelson/envtest';

/** The program of an API server in memory. It prints the kubeconfig of its administrator as one JSON string, and ends with its standard input. */
await using environment = await createTestEnvironment({
  use: 'memory',
  controllers: ['garbage-collector', 'namespace'],
});
console.log(JSON.stringify(environment.admin.kubeconfig));
for await (const _ of process.stdin) continue;
