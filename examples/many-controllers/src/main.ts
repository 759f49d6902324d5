import { createClient } from '@keelson/client';
import { exampleArguments, install, openCluster } from '@keelson/example-support';
import { createLogger } from '@keelson/manager';
import { definitions } from './custom-resource-definitions.ts';
import { createOperator } from './operator.ts';
import { tour } from './tour.ts';

const { kubeconfig, stay } = exampleArguments(
  'many-controllers: two controllers that watch each other’s kinds',
);
await using place = await openCluster(kubeconfig);
await using client = createClient({ cluster: place.cluster });
await install(client, definitions);

// The tour tells its own story; afterwards, and on a cluster, the operator's log does.
const touring = place.server !== undefined && !stay;
const logger = createLogger({ level: touring ? 'silent' : 'info' });
const operator = createOperator({ cluster: place.cluster, logger });
const running = operator.start();
if (place.server !== undefined) {
  await tour(client, console.log);
  if (stay) console.log(`the API server listens on ${place.server.url}; Ctrl-C ends`);
  else await operator.stop();
}
await running;
