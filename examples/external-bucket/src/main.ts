import { runExample } from '@keelson/example-support';
import { MemoryBucketStore } from './bucket-store.ts';
import { bucketDefinition } from './custom-resource-definition.ts';
import { createOperator } from './operator.ts';
import { tour } from './tour.ts';

const store = new MemoryBucketStore();

await runExample({
  title: 'external-bucket: a custom resource for a bucket outside the cluster',
  definitions: [bucketDefinition],
  createOperator: (options) => createOperator(options, store),
  tour: (client, say) => tour(client, store, say),
});
